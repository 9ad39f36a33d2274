/* What attention_tiled_traced and attention_flash tell of each tile. Compiles as C11 and C++17. */
#ifndef STEP_H
#define STEP_H

#include <stdbool.h>
#include <stddef.h>

/* Rows i0 .. i1 - 1 have met keys j0 .. j1 - 1. The arrays hold one entry a row. */
typedef struct {
    size_t step;                 /* the tile's number, from 0 on through all heads */
    size_t head;                 /* batch * heads + head; 0 where there is one head */
    size_t i0, i1, j0, j1;
    bool skipped;                /* no row may see any of the keys: nothing was computed */
    const float *maximum, *sum;  /* of the scores and of exp(score - maximum), over all keys met so far */
    const float *rescale;        /* what the old sum and accumulator were multiplied by, 1 if skipped */
    const float *first;          /* entry 0 of the accumulator, not yet divided by the sum */
} flash_step;

#endif
