/* Four instructions that CUDA C has no name for, as functions; each is done by a whole warp together.
 * Below is their PTX; cuda_on_cpu/warp_matrix.h has the same functions for the CPU.
 *
 *     mma               c[16][8] += a[16][16] b[16][8], sums in float32
 *     ldmatrix          four 8 x 8 squares of 16-bit numbers from shared memory to registers
 *     ldmatrix_trans    the same, each square transposed
 *     pack              two floats, rounded, in one register: the first in the lower half
 *
 * Where the numbers lie in the 32 lanes: PTX ISA, section "Matrix fragments for mma.m16n8k16"; drawn in README.md. */
#ifndef TENSOR_CORES_H
#define TENSOR_CORES_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

/* pack<T> for both types; a Pair is two T side by side */
template <class Pair> static __device__ inline unsigned bits(Pair pair)
{
    unsigned u;
    memcpy(&u, &pair, sizeof u);
    return u;
}
template <class T> static __device__ unsigned pack(float low, float high);
template <> __device__ inline unsigned pack<__half>(float low, float high)
{
    return bits(__floats2half2_rn(low, high));
}
template <> __device__ inline unsigned pack<__nv_bfloat16>(float low, float high)
{
    return bits(__floats2bfloat162_rn(low, high));
}

#ifdef __CUDACC__
#define MMA(type)                                                                                                      \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                                        \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                     \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <class T> static __device__ void mma(float c[4], const unsigned a[4], const unsigned b[2]);
template <> __device__ inline void mma<__half>(float c[4], const unsigned a[4], const unsigned b[2])
{
    MMA("f16");
}
template <> __device__ inline void mma<__nv_bfloat16>(float c[4], const unsigned a[4], const unsigned b[2])
{
    MMA("bf16");
}

#define LDMATRIX(how)                                                                                                  \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" how ".shared.b16 {%0, %1, %2, %3}, [%4];"                             \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                                      \
                 : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory")

/* lane l points at row l % 8 of square l / 8; a row is 16 bytes and lies at a multiple of 16 */
static __device__ inline void ldmatrix(unsigned r[4], const void *row) { LDMATRIX(""); }
static __device__ inline void ldmatrix_trans(unsigned r[4], const void *row) { LDMATRIX(".trans"); }
#else
#include "warp_matrix.h"
#endif
#endif
