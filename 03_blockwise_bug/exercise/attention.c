/* Exercise 3: K and V in blocks, each block normalised by itself. Deliberately wrong.
 *
 *     O[i] = sum over blocks of softmax(S[i][block]) V[block]
 *
 * Bring in a block of keys and values, make the three calls of version 2 on it, let its result be added. Every call is
 * right, and the sum is not attention. About 7 lines; and complete this sentence, which is graded too:
 *
 *     With V of ones the result is not 1, because the weights of a row add up to ...
 *
 * To grade it: make exercise-3. Help: hints.md beside this file. */
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
    /* Your lines, about 7: a loop over the blocks, with the three calls in it. S has room for n times block scores.
     * Take the next two lines out. */
    (void)scores, (void)softmax_rows, (void)weighted_sum;
    return free(S), ENOSYS;
    /* End of your lines */
    free(S);
    return 0;
}
