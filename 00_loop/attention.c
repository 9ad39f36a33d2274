/* Version 0: three loops.
 *
 *     s[j] = Q[i] . K[j] / sqrt(d)      how alike are question i and key j?
 *     w[j] = exp(s[j]) / sum exp(s)     turned into shares that add up to 1
 *     O[i] = sum w[j] V[j]              that share of every value
 *
 * All sums are float64: this version is the yardstick for the others, so it
 * may be slow but not vague. Plain exp serves scores up to about 700; version 2
 * mends that. Storage beside input and output: m weights.
 *
 * To run it: make stage-0, or in this folder: cc -O2 *.c -lm && ./a.out */
#include "attention.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int attention_loop(size_t n, size_t m, size_t d, size_t dv,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        double O[n][dv])
{
    if (n == 0 || dv == 0) return 0;
    if (d == 0 || !Q || !O || (m && (!K || !V))) return EINVAL;
    double *w = calloc(m ? m : 1, sizeof *w);
    if (!w) return ENOMEM;
    const double scale = 1 / sqrt((double)d);

    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) {
            double s = 0;
            for (size_t k = 0; k < d; k++) s += (double)Q[i][k] * K[j][k];
            w[j] = exp(s * scale);
            sum += w[j];
        }
        for (size_t c = 0; c < dv; c++) O[i][c] = 0;
        for (size_t j = 0; j < m; j++) {
            const double share = w[j] / sum;
            for (size_t c = 0; c < dv; c++) O[i][c] += share * V[j][c];
        }
    }
    free(w);
    return 0;
}
