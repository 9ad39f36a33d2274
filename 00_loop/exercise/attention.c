/* Exercise 0: three loops.
 *
 * Write attention as the formula says it, one query after the other:
 *
 *     s[j] = Q[i] . K[j] / sqrt(d)      how alike are question i and key j?
 *     w[j] = exp(s[j]) / sum exp(s)     turned into shares that add up to 1
 *     O[i] = sum w[j] V[j]              that share of every value
 *
 * All sums and weights are float64 (double). About 14 lines.
 *
 * To grade it: make exercise-0. Help: hints.md beside this file. */
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

    /* Your lines, about 14: for every query i the weights w[0..m-1] and their sum, then O[i][0..dv-1].
     * w has room for m weights. Take the next two lines out. */
    (void)scale;
    return free(w), ENOSYS;
    /* End of your lines */
    free(w);
    return 0;
}
