/* What the files of the bench share. */
#ifndef BENCH_H
#define BENCH_H

#include "../suites/reference.h"
#include <stdio.h>

enum { SAMPLES = 7, TRIAD = 1 << 24 };

typedef struct {
    bool quick, flash_only;
    double limit; /* seconds a call may be predicted to take */
    FILE *csv;
} options;

typedef struct { float *Q, *K, *V, *O; double *O64; } arrays; /* room for the largest problem */

/* multiply-adds on registers alone, GFLOP/s of all threads together */
double peak(size_t threads);

/* a[i] = b[i] + 3 c[i] on arrays of TRIAD floats, GB/s, counting 12 bytes an element as STREAM does */
double triad(size_t threads);

bool is_flash(const version *v);

/* seconds of one call; attention_flash is called itself, for its adapter would cost it */
double seconds(const version *v, const problem *p, size_t threads, const arrays *x);

/* attention_flash on what it is used for: few queries, grouped heads, short sequences, causal; and its error */
void flash_at_work(const options *o, size_t threads);

/* near N(0, 1) */
void fill(float *x, size_t count, unsigned seed);

#endif
