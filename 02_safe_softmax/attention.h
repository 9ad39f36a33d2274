/* Version 2: three calls as in version 1, with a softmax that cannot overflow. */
#ifndef ATTENTION_SAFE_H
#define ATTENTION_SAFE_H

#include <stddef.h>

/* O = softmax(Q K^T / sqrt(d)) V in float32, the row's maximum subtracted before exp.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * Returns 0, or EINVAL (d = 0, a null pointer that would be read or written), ENOMEM or EOVERFLOW;
 * then O is untouched.
 * n = 0 or dv = 0: nothing to do. m = 0: zeros.
 * A score of -inf has weight 0. All scores -inf, one +inf or one NaN: the row is NaN.
 *
 * Source: Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm 2. */
int attention_safe(size_t n, size_t m, size_t d, size_t dv,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv]);

#endif
