/* Version 1: attention as three calls: a matrix product, a softmax, a matrix product. */
#ifndef ATTENTION_MATRIX_H
#define ATTENTION_MATRIX_H

#include <stddef.h>

/* O = softmax(Q K^T / sqrt(d)) V in float32.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * Returns 0, or EINVAL (d = 0, a null pointer that would be read or written), ENOMEM or EOVERFLOW;
 * then O is untouched.
 * n = 0 or dv = 0: nothing to do. m = 0: zeros.
 * exp is taken as it comes: scores beyond 88.7 overflow, rows with all scores below -104 are 0/0.
 *
 * Source: Vaswani et al. 2017, arXiv 1706.03762, equation (1). */
int attention_matrix(size_t n, size_t m, size_t d, size_t dv,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv]);

#endif
