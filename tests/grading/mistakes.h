/* What a version's results tell about its mistake. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "../suites/versions.h"

/* The likely cause of wrong results, one sentence; NULL: nothing typical was found. Runs v on a few small inputs
 * and compares what it gives with what typical mistakes would give (mistakes.c lists them). */
const char *likely_mistake(const version *v);

/* The same for the merge of two accounts (decode.c). */
const char *likely_merge_mistake(void);

#endif
