/* Version 4 in two levels of tiles, in plain C: the loop of FlashAttention and nothing else. */
#ifndef TILED_H
#define TILED_H

#include "step.h"

/* O = softmax(Q K^T / sqrt(d)) V in float32, a tile of queries and a block of keys and values at a time.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * br, bc: queries in a tile, keys in a block; the last tile and the last block may be smaller.
 * causal: query i sees key j when j <= i + m - n; a query that sees no key has zeros.
 * Storage: br (bc + 4) floats and br sizes, whatever n and m are. Everything else is as in attention.h.
 * Returns 0, or EINVAL (d, br or bc = 0, a null pointer that would be read or written), ENOMEM or EOVERFLOW; then O
 * is untouched.
 *
 * Source: Dao 2023, FlashAttention-2, arXiv 2307.08691, algorithm 1. */
int attention_tiled(size_t n, size_t m, size_t d, size_t dv, size_t br, size_t bc, bool causal,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv]);

/* The same, and trace is called with context after every tile, skipped ones included; NULL: none. */
int attention_tiled_traced(size_t n, size_t m, size_t d, size_t dv, size_t br, size_t bc, bool causal,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv], void (*trace)(void *context, const flash_step *step), void *context);

#endif
