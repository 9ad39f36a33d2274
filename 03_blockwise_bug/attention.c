/* Version 3: K and V in blocks, each block normalised by itself. Deliberately wrong.
 *
 *     O[i] = sum over blocks of softmax(S[i][block]) V[block]
 *
 * S need not be stored whole: a block of keys and values is brought in, the three
 * calls of version 2 are made on it, and its result is added. Every call is right,
 * and the sum is not: the weights of each block add up to 1, so those of the row
 * add up to the number of blocks. With one block it is version 2; version 4 mends it.
 * Storage: S for one block, n by block, whatever m is.
 *
 * To run it: make stage-3, or in this folder: cc -O2 *.c -lm && ./a.out */
#include "attention.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* S[i][j] = Q[i] . K[j] / sqrt(d) */
static void scores(size_t n, size_t m, size_t d,
        const float Q[n][d], const float K[m][d], float S[n][m])
{
    const float scale = (float)(1 / sqrt((double)d)); /* rounded once */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            float s = 0;
            for (size_t k = 0; k < d; k++) s += Q[i][k] * K[j][k];
            S[i][j] = s * scale;
        }
}

/* O[i] += sum over j of P[i][j] V[j] */
static void weighted_sum(size_t n, size_t m, size_t dv,
        const float P[n][m], const float V[m][dv], float O[n][dv])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t c = 0; c < dv; c++) O[i][c] += P[i][j] * V[j][c];
}

/* every row of S becomes its softmax */
static void softmax_rows(size_t n, size_t m, float S[n][m])
{
    for (size_t i = 0; i < n; i++) {
        float max = -INFINITY, sum = 0;
        for (size_t j = 0; j < m; j++) max = fmaxf(max, S[i][j]);
        for (size_t j = 0; j < m; j++) sum += S[i][j] = expf(S[i][j] - max);
        for (size_t j = 0; j < m; j++) S[i][j] /= sum;
    }
}

int attention_blockwise_bug(size_t n, size_t m, size_t d, size_t dv, size_t block,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv])
{
    if (n == 0 || dv == 0) return 0;
    if (d == 0 || block == 0 || !Q || !O || (m && (!K || !V))) return EINVAL;
    if (m == 0) return memset(O, 0, n * sizeof *O), 0;
    if (block > m) block = m;
    if (block > SIZE_MAX / sizeof(float)) return EOVERFLOW;
    float (*S)[block] = calloc(n, sizeof *S); /* calloc, because it checks the product */
    if (!S) return ENOMEM;

    memset(O, 0, n * sizeof *O);
    for (size_t j = 0; j < m; j += block) {
        const size_t keys = m - j < block ? m - j : block; /* the last block may be shorter */
        float (*P)[keys] = (void *)S;
        scores(n, keys, d, Q, K + j, P);
        softmax_rows(n, keys, P);
        weighted_sum(n, keys, dv, P, V + j, O);
    }
    free(S);
    return 0;
}
