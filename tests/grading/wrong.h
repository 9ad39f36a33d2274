/* What a mistake does differently: between mistakes.c, the table of them, and wrong.c, which does it. */
#ifndef WRONG_H
#define WRONG_H

#include "probes.h"

enum scale {
    BY_ROOT_D, NO_SCALE, SCALE_SQUARED, SCALE_HALF_D, SCALE_HALF_D_WHOLE, SCALE_FROM_DV, SCALE_FROM_M, TIMES_ROOT_D,
    SCALE_TWICE, BASE_2
};
enum terms { ALL_TERMS, LAST_TERM, FIRST_TERM, NO_LAST_TERM, HALF_TERMS, DV_TERMS };
enum base {
    ROW_MAX, BLOCK_MAX, NO_MAX, MAX_ADDED, MAX_TWICE, FIRST_SCORE, LAST_SCORE, SMALLEST, MEAN, ABSOLUTE, BEFORE_LAST,
    RUNNING, OLD_MAX, UNSCALED
};
enum weight { EXP, SCORE, HALVED, DOUBLED, NEGATED, POSITIVE };
enum divide {
    AT_END, NEVER, TWICE, MULTIPLIED, BLOCK_BY_ITSELF, AVERAGED, EVERY_BLOCK, EVERY_BLOCK_EARLY, EVERY_BLOCK_AND_AT_END,
    BY_LAST_BLOCK,
    BY_COUNT, BY_SO_FAR, BY_SCORES, BY_COLUMN, BY_FIRST_ROW, BY_ALL_ROWS, BY_ROWS_SO_FAR, WHOLE_ROW
};
enum tail {
    WHOLE, PADDED, DROPPED, OVERLAPPED, NO_LAST_KEY, NO_FIRST_KEY, N_KEYS, STEP_1, STEP_TOO_FAR, STEP_2_BLOCKS,
    FIRST_BLOCK_ONLY, NO_LAST_BLOCK, NO_FIRST_BLOCK, NO_LAST_OF_BLOCK, ONE_OF_BLOCK
};
enum account {
    RESCALED, KEPT, TURNED, FORGOTTEN, TIMES_0, RESCALED_TWICE, BY_ROOT, AFTER_ADDING, LAST_TERM_ONLY, ONE_COLUMN,
    LOST_IF_RAISED
};
enum pick {
    OWN, BLOCK_BEFORE, FIRST_BLOCK, BLOCK_NUMBER, TRANSPOSED, REVERSED, OF_QUERY, SWAPPED, Q_TRANSPOSED, COLUMN_E
};
enum mask {
    ALIGNED, TOP_LEFT, ONE_MORE, ONE_LESS, NO_MASK, MASK_TURNED, UNASKED,
    ROW_OF_TILE, LAST_OF_TILE, SKIPPED_BY_FIRST /* in attention_tiled */
};

typedef struct {
    const char *key;
    enum scale scale;
    enum terms terms;
    double start;             /* of the maximum; 0 stands for -INFINITY */
    enum base base;           /* what is subtracted before exp */
    enum weight weight;
    enum account sum, output; /* what happens to them when a block is added */
    enum divide divide;
    enum tail tail;
    enum pick keys, values;
    enum mask mask;
    bool drops_nan;           /* a weight that is NaN counts as 0 */
    bool bare;                /* exp(score - max) without care for -inf minus -inf */
    bool columns;             /* softmax over the queries instead of the keys */
    bool square;              /* stays in its arrays only where all sizes are equal */
} mistake;

extern const mistake mistakes[];

#endif
