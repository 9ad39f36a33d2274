/* Version 2: the maximum subtracted.
 *
 *     P = exp(S - max) / sum exp(S - max)       max: the largest score of the row
 *
 * Numerator and denominator are both divided by exp(max), so the share is the
 * same; but now the largest weight is exp(0) = 1 and nothing can overflow. A
 * weight far below the maximum becomes 0, which is what it is beside a 1. The
 * price is one more pass over each row: the maximum must be known first.
 *
 * To run it: make stage-2, or in this folder: cc -O2 *.c -lm && ./a.out */
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

int attention_safe(size_t n, size_t m, size_t d, size_t dv,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv])
{
    if (n == 0 || dv == 0) return 0;
    if (d == 0 || !Q || !O || (m && (!K || !V))) return EINVAL;
    if (m == 0) return memset(O, 0, n * sizeof *O), 0;
    if (m > SIZE_MAX / sizeof(float)) return EOVERFLOW;
    float (*S)[m] = calloc(n, sizeof *S); /* calloc, because it checks the product */
    if (!S) return ENOMEM;

    memset(O, 0, n * sizeof *O);
    scores(n, m, d, Q, K, S);
    softmax_rows(n, m, S);
    weighted_sum(n, m, dv, S, V, O);
    free(S);
    return 0;
}
