/* Exercise 2: a softmax that does not overflow.
 *
 *     P = exp(S) / sum exp(S)       as in version 1, but right for every row of finite scores, however large
 *
 * expf overflows above 88.7, and a row of scores below -104 makes 0 / 0. Numerator and denominator may be divided
 * by the same number without changing the share: by which, so that nothing can overflow? About 6 lines.
 *
 * To grade it: make exercise-2. Help: hints.md beside this file. */
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
    /* Your lines, about 6: S[i][j] becomes the share of key j. Take the next line out. */
    (void)n, (void)m, (void)S;
    /* End of your lines */
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
