/* What the kernels and the code that calls them share. Everything here is for nvcc or a C++17 compiler. */
#ifndef KERNELS_H
#define KERNELS_H

#include "attention.h"
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <errno.h>
#include <limits.h>
#include <math.h>

/* how many keys query i may see: always the first ones, so one number says it all */
static __host__ __device__ inline size_t visible(const cuda_problem &a, size_t i)
{
    if (!a.causal) return a.m;
    return i + 1 + a.m > a.n ? i + 1 + a.m - a.n : 0;
}

/* which of the batch * kv_heads matrices K and V goes with query head h of batch * heads */
static __host__ __device__ inline size_t kv_head(const cuda_problem &a, size_t h)
{
    return h / a.heads * a.kv_heads + h % a.heads / (a.heads / a.kv_heads);
}

/* The launches. Pointers are device memory, T is float, __half or __nv_bfloat16. Each returns 0 or an errno value.
 * naive also needs S[batch][heads][n][m]. In flash_mma the rows of Q, K, V and O are padded with zeros
 * to mma_width(max(d, dv)) elements. */
template <class T> int naive(const cuda_problem &a, const T *Q, const T *K, const T *V, T *S, T *O);
int flash(const cuda_problem &a, const float *Q, const float *K, const float *V, float *O);
template <class T> int flash_mma(const cuda_problem &a, const T *Q, const T *K, const T *V, T *O);
size_t mma_width(size_t d);

/* what they request from global memory, in elements */
cuda_moves naive_moves(const cuda_problem &a);
cuda_moves flash_moves(const cuda_problem &a);
cuda_moves flash_mma_moves(const cuda_problem &a);

static __host__ __device__ inline size_t tiles(size_t length, size_t tile) { return (length + tile - 1) / tile; }
/* the rows of X[m][d] that tiles of so many rows bring in before row most is reached */
static inline size_t rows_read(size_t most, size_t tile, size_t m)
{
    return tiles(most, tile) * tile < m ? tiles(most, tile) * tile : m;
}

/* keeps a sentence for attention_cuda_error and returns the errno value it was given */
int refuse(int error, const char *format, ...);
/* 0 for cudaSuccess; otherwise an errno value, and the sentence says what failed and why */
int check(cudaError_t error, const char *what);
/* 0 if a grid takes so many blocks in x; y and z, which end at 65535, are not used */
int check_blocks(size_t blocks, const char *what);

#endif
