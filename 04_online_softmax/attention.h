/* Version 4: K and V in blocks, and one softmax over all of them. */
#ifndef ATTENTION_ONLINE_H
#define ATTENTION_ONLINE_H

#include <stddef.h>

/* O = softmax(Q K^T / sqrt(d)) V in float32, a block of keys and values at a time.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * block: keys in a block; the last block may be shorter. Storage: n (block + 2) floats.
 * Returns 0, or EINVAL (d = 0, block = 0, a null pointer that would be read or written), ENOMEM or EOVERFLOW;
 * then O is untouched.
 * n = 0 or dv = 0: nothing to do. m = 0: zeros.
 * A score of -inf has weight 0. All scores -inf, one +inf or one NaN: the row is NaN.
 * The division comes last: where the undivided sum leaves float32 (values near 3e38), O may be inf although the
 * result is not.
 *
 * Source: Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm 3; Dao et al. 2022, arXiv 2205.14135,
 * section 3.1. */
int attention_online(size_t n, size_t m, size_t d, size_t dv, size_t block,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv]);

#endif
