/* Version 4: online softmax.
 *
 *     rescale = exp(old max - new max)
 *     sum     = sum * rescale + sum of exp(S - new max)
 *     O       = O   * rescale + sum of exp(S - new max) V      and at the end O / sum
 *
 * The denominator needs the whole row, but the row comes in blocks. So every
 * row keeps an account of what it has seen: the largest score, the sum of
 * weights, the weighted values. When a block brings a larger score, everything
 * entered so far was measured against the old maximum; times exp(old - new) it
 * is measured against the new one. The division waits until the end, so O holds
 * undivided sums until then, and values near the end of float32 (3e38) can overflow in it.
 * Storage: one block of scores and two numbers a row, whatever m is.
 *
 * To run it: make stage-4, or in this folder: cc -O2 *.c -lm && ./a.out */
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

/* the account of every row takes in a block: its scores S become weights measured against the new maximum */
static void online_softmax(size_t n, size_t m, size_t dv, float S[n][m], float max[n], float sum[n], float O[n][dv])
{
    for (size_t i = 0; i < n; i++) {
        float new_max = max[i];
        for (size_t j = 0; j < m; j++) new_max = fmaxf(new_max, S[i][j]);
        const float base = new_max == -INFINITY ? 0 : new_max; /* never -inf minus -inf */
        const float rescale = expf(max[i] - base);             /* moves the account to the new maximum */
        sum[i] *= rescale;
        for (size_t c = 0; c < dv; c++) O[i][c] *= rescale;
        for (size_t j = 0; j < m; j++) sum[i] += S[i][j] = expf(S[i][j] - base);
        max[i] = new_max;
    }
}

int attention_online(size_t n, size_t m, size_t d, size_t dv, size_t block,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv])
{
    if (n == 0 || dv == 0) return 0;
    if (d == 0 || block == 0 || !Q || !O || (m && (!K || !V))) return EINVAL;
    if (m == 0) return memset(O, 0, n * sizeof *O), 0;
    if (block > m) block = m;
    if (block > SIZE_MAX / sizeof(float)) return EOVERFLOW;
    float (*S)[block] = calloc(n, sizeof *S), *max = calloc(n, sizeof *max), *sum = calloc(n, sizeof *sum);
    if (!S || !max || !sum) return free(S), free(max), free(sum), ENOMEM;

    memset(O, 0, n * sizeof *O);
    for (size_t i = 0; i < n; i++) max[i] = -INFINITY;
    for (size_t j = 0; j < m; j += block) {
        const size_t keys = m - j < block ? m - j : block; /* the last block may be shorter */
        float (*P)[keys] = (void *)S;
        scores(n, keys, d, Q, K + j, P);
        online_softmax(n, keys, dv, P, max, sum, O);
        weighted_sum(n, keys, dv, P, V + j, O);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < dv; c++) O[i][c] /= sum[i];
    free(S), free(max), free(sum);
    return 0;
}
