/* attention_flash: version 4 in two levels of tiles, for batches and heads, on all cores.
 *
 *     O = softmax(scale * Q K^T) V      Q [batch][heads][n][d]       K [batch][kv_heads][m][d]
 *                                       O [batch][heads][n][dv]      V [batch][kv_heads][m][dv]
 *
 * All tensors are float32, row after row, without gaps, and need no alignment beyond that of a float. O must not
 * overlap an input, nor lse anything. With several threads a call made in a child after fork may never return where
 * OpenMP is gcc's libgomp, if the parent has used OpenMP; with threads = 1 it does. C11 and C++17. */
#ifndef FLASH_H
#define FLASH_H

#include "step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t batch, heads;
    size_t kv_heads;       /* divides heads: query head h uses key/value head h / (heads / kv_heads) */
    size_t n, m, d, dv;    /* queries, keys, width of Q and K, width of V */
    float scale;           /* 1 / sqrt(d) as a rule; any number is taken as it is */
    bool causal;           /* query i sees key j when j <= i + m - n */
    size_t br, bc;         /* queries and keys in a tile, 0: chosen; br is rounded up to 16, 32, ... */
    size_t threads;        /* 0: as many as OpenMP takes; more than 256 are not started. O is the same to the bit */
    void (*trace)(void *context, const flash_step *step); /* NULL: none. A traced run takes one thread and always
                                                             walks in tiles */
    void *context;         /* handed to trace */
} flash_problem;

/* Writes O and, unless it is NULL, lse [batch][heads][n]: the natural logarithm of the row's sum of
 * exp(scaled score), -inf for a row that sees no key, inf if a score is. Returns 0 or, with nothing written, EINVAL
 * (d = 0, heads no multiple of kv_heads, a null pointer that would be read or written), EOVERFLOW (a tensor larger
 * than size_t) or ENOMEM. FlashAttention-2 (Dao 2023, arXiv 2307.08691), Algorithm 1. */
int attention_flash(const flash_problem *problem, const float *Q, const float *K, const float *V, float *O,
                    float *lse);

#ifdef __cplusplus
}
#endif
#endif
