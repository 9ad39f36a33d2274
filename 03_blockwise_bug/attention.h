/* Version 3: K and V in blocks, each normalised by itself. Deliberately wrong. */
#ifndef ATTENTION_BLOCKWISE_BUG_H
#define ATTENTION_BLOCKWISE_BUG_H

#include <stddef.h>

/* O = sum over blocks of softmax(Q K[block]^T / sqrt(d)) V[block] in float32: not attention, unless there is one block.
 *
 * n queries Q[n][d], m keys K[m][d], m values V[m][dv], results O[n][dv]; rows lie one after the other.
 * block: keys in a block; the last block may be shorter.
 * Returns 0, or EINVAL (d = 0, block = 0, a null pointer that would be read or written), ENOMEM or EOVERFLOW;
 * then O is untouched.
 * n = 0 or dv = 0: nothing to do. m = 0: zeros. */
int attention_blockwise_bug(size_t n, size_t m, size_t d, size_t dv, size_t block,
        const float Q[n][d], const float K[m][d], const float V[m][dv],
        float O[n][dv]);

#endif
