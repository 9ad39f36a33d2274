/* Version 5: the fused kernel in CUDA C, with the unfused one beside it. Compiles as C11 and as C++17. */
#ifndef ATTENTION_CUDA_H
#define ATTENTION_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* naive: three kernels, S and P in global memory; flash: one kernel, float32;
 * flash_mma: one kernel on tensor cores. The type is that of Q, K, V, S, P and O in global memory; sums are float32. */
typedef enum {
    ATTENTION_NAIVE, ATTENTION_NAIVE_FLOAT16, ATTENTION_NAIVE_BFLOAT16,
    ATTENTION_FLASH,
    ATTENTION_FLASH_MMA_FLOAT16, ATTENTION_FLASH_MMA_BFLOAT16,
    ATTENTION_KERNELS /* how many there are */
} cuda_kernel;

typedef struct {
    size_t batch, heads, kv_heads; /* heads is a multiple of kv_heads: neighbouring query heads share keys */
    size_t n, m, d, dv;            /* queries, keys, width of Q and K, width of V and O; d, dv at most 256 */
    float scale;                   /* of the scores: 1 / sqrt(d) as a rule */
    bool causal;                   /* query i sees key j when j <= i + m - n */
} cuda_problem;

/* O = softmax(Q K^T scale) V for every head, on the GPU, or on the CPU when built without CUDA.
 *
 * Q[batch][heads][n][d], K[batch][kv_heads][m][d], V[batch][kv_heads][m][dv], O[batch][heads][n][dv], all in host
 * memory and float32; for the 16-bit kernels they are rounded on the way in, to nearest even.
 * Returns 0, or EINVAL (a size of 0 where none may be, d or dv beyond 256, heads not a multiple of kv_heads, a null
 * pointer that would be read or written), EOVERFLOW (sizes beyond size_t or beyond a grid), ENOMEM (host or device),
 * ENOTSUP (a GPU older than the kernel needs), EIO (any other CUDA error). On an error O is untouched and
 * attention_cuda_error() tells in a sentence what was wrong.
 * n = 0 or dv = 0: nothing to do. m = 0, or a row that may see no key: zeros.
 * A score of -inf has weight 0. All visible scores -inf, one +inf or one NaN: the row is NaN.
 * What is masked has no effect, with one exemption: flash_mma multiplies whole tiles, so a NaN or an infinity in V
 * reaches all rows of a tile that the diagonal crosses.
 * flash divides at the end: where the undivided sum leaves float32 (values near 3e38), O may be inf.
 *
 * Source: Dao et al. 2022, arXiv 2205.14135, algorithm 1; Dao 2023, arXiv 2307.08691, algorithm 1. */
int attention_cuda(const cuda_problem *problem, cuda_kernel kernel,
                   const float *Q, const float *K, const float *V, float *O);

/* How many elements the kernel requests from global memory, by the bounds of its loops; one element is
 * attention_cuda_element_size(kernel) bytes. flash_mma counts the padding of d and dv to its width. */
typedef struct {
    size_t read, written;
} cuda_moves;
cuda_moves attention_cuda_moves(const cuda_problem *problem, cuda_kernel kernel);
size_t attention_cuda_element_size(cuda_kernel kernel);

/* what the last failed call had to say: one sentence for the whole program */
const char *attention_cuda_error(void);

/* the kernel's name: "flash_mma bfloat16" */
const char *attention_cuda_name(cuda_kernel kernel);

/* the name of the device that runs the kernels; NULL if there is none */
const char *attention_cuda_device(void);

#ifdef __cplusplus
}
#endif
#endif
