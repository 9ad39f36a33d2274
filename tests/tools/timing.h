/* The clock and the median, for the programs that time. */
#ifndef TIMING_H
#define TIMING_H

#include <stdlib.h>
#include <time.h>

/* seconds since some moment that stays the same */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sorts x */
static inline double median(double x[], int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return x[count / 2];
}

#endif
