/* attention_flash: version 4 in two levels of tiles, for batches and heads, on all cores.
 *
 *     O = softmax(scale * Q K^T) V      Q [batch][heads][n][d]       K [batch][kv_heads][m][d]
 *                                       O [batch][heads][n][dv]      V [batch][kv_heads][m][dv]
 *
 * All tensors are float32, row after row, without gaps. This header compiles as C11 and as C++17. */
#ifndef FLASH_H
#define FLASH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What trace is told after each tile: rows i0 .. i1 - 1 have met keys j0 .. j1 - 1. The arrays hold one entry a row. */
typedef struct {
    size_t step;                 /* the tile's number, from 0 on through all heads */
    size_t head;                 /* batch * heads + head */
    size_t i0, i1, j0, j1;
    bool skipped;                /* no row may see any of the keys: nothing was computed */
    const float *maximum, *sum;  /* of the scores and of exp(score - maximum), over all keys met so far */
    const float *rescale;        /* what the old sum and accumulator were multiplied by, 1 if skipped */
    const float *first;          /* entry 0 of the accumulator, not yet divided by the sum */
} flash_step;

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
 * exp(scaled score), -inf for a row that sees no key. Returns 0 or, with nothing written, EINVAL (d = 0, heads no
 * multiple of kv_heads, a null pointer that would be read or written), EOVERFLOW (a tensor larger than size_t)
 * or ENOMEM. FlashAttention-2 (Dao 2023, arXiv 2307.08691), Algorithm 1. */
int attention_flash(const flash_problem *problem, const float *Q, const float *K, const float *V, float *O,
                    float *lse);

#ifdef __cplusplus
}
#endif
#endif
