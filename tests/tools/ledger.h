/* What the ledger is asked, by its command line and its files. Whatever is wrong there ends the program with a
 * sentence and status 2. */
#ifndef LEDGER_H
#define LEDGER_H

#include "../suites/versions.h"
#include "npy.h"

typedef struct {
    double hot, scale;
    size_t block;
    long first, last; /* versions */
    bool one_heat, scaled, causal;
    const char *csv, *out, *files[3];
    int file_count;
} options;

typedef struct {
    problem p;
    size_t dimensions, shape[NPY_DIMENSIONS]; /* of O */
    npy_array Q, K, V;
} input;

/* the command line; --help prints the usage and ends */
options read_options(int argc, char **argv);

/* the files that are named there, or the article's; their shapes agree */
input read_input(const options *o);

/* One sentence on stderr, and status 2 */
void fail(const char *format, ...);

#endif
