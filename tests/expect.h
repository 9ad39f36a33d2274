/* What the suites share: random tensors, the comparison with the reference, commands run and read. */
#ifndef EXPECT_H
#define EXPECT_H

#include "versions.h"
#include <check.h>
#include <stdint.h>

/* The seed of all random inputs: the environment's SEED, or 1. Printed by the runner. */
uint64_t seed(void);

double uniform(uint64_t *state);                            /* in [0, 1) */
size_t between(uint64_t *state, size_t least, size_t most); /* both included */
float normal(uint64_t *state);                              /* N(0, 1) */

typedef struct { float *Q, *K, *V; } tensors;
tensors zero_tensors(const problem *p);
tensors normal_tensors(const problem *p, uint64_t *state);
void free_tensors(tensors t);

size_t outputs(const problem *p);

/* p with its block widened to all keys if v is wrong with more than one block */
problem right_block(const version *v, problem p);

/* Runs v and holds it to the reference: the same NaN and infinities, the rest within the tolerance rule. */
void expect_reference(const version *v, const problem *p, tensors t, const char *what);

/* Runs v and compares every output with expected, NaN and infinities included: |difference| <= allowed. */
void expect_outputs(const version *v, const problem *p, tensors t, const double *expected, double allowed,
                    const char *what);

/* Runs a shell command; its output and error output go to text (cut at size), its exit status is returned. */
int command(const char *line, char *text, size_t size);

/* one test case per suite file: TEST_CASE(suite, name, timeout in seconds) */
#define TEST_CASE(suite, name, seconds) \
    TCase *name = tcase_create(#name); \
    tcase_set_timeout(name, seconds); \
    suite_add_tcase(suite, name)

#endif
