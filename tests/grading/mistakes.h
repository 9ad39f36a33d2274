/* What a version's results tell about its mistake. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "../suites/versions.h"

/* The likely cause of wrong results: a key of sentences.en with its arguments ("cause.far|200"); NULL: nothing typical
 * was found. Runs v on a few small inputs and compares what it gives with what typical mistakes would give (mistakes.c
 * lists them); then reads signs. */
const char *likely_mistake(const version *v);

/* One of SHAPES inputs on which one size taken for another stays inside the arrays: which sizes are mixed up? */
enum { SHAPES = 5 };
const char *mixed_up_sizes(const version *v, size_t shape);

/* The same for the merge of two accounts (decode.c). */
const char *likely_merge_mistake(void);

#endif
