/* Version 0: attention as three loops, the yardstick for all other versions. */
#ifndef ATTENTION_LOOP_H
#define ATTENTION_LOOP_H

#include <stddef.h>

/* O = softmax(Q K^T / sqrt(d)) V, every sum in float64.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * Returns 0, or EINVAL (d = 0, a null pointer that would be read or written) or ENOMEM; then O is untouched.
 * n = 0 or dv = 0: nothing to do. m = 0: zeros.
 * exp is taken as it comes: scores beyond about 709 overflow, rows with all scores below about -745 are 0/0.
 *
 * Source: Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1. */
int attention_loop(size_t n, size_t m, size_t d, size_t dv,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        double O[n][dv]);

#endif
