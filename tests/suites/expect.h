/* What the suites share: random tensors, the comparison with the reference, commands run and read. */
#ifndef EXPECT_H
#define EXPECT_H

#include "versions.h"
#include <check.h>
#include <stdint.h>

/* Is this built with AddressSanitizer? */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* The seed of all random inputs: the environment's SEED, or 1. Printed by the runner. */
uint64_t seed(void);

double uniform(uint64_t *state);                            /* in [0, 1) */
size_t between(uint64_t *state, size_t least, size_t most); /* both included */
float normal(uint64_t *state);                              /* N(0, 1) */

typedef struct { float *Q, *K, *V; } tensors;
tensors zero_tensors(const problem *p);
tensors normal_tensors(const problem *p, uint64_t *state);
void free_tensors(tensors t);

/* p with its block widened to all keys if v is wrong with more than one block */
problem right_block(const version *v, problem p);

/* Runs v into O; success is expected. */
void run_version(const version *v, const problem *p, tensors t, double *O, const char *what);

/* Runs v and holds it to the reference: the same NaN and infinities, the rest within the tolerance rule. */
void expect_reference(const version *v, const problem *p, tensors t, const char *what);

/* Runs v and compares every output with expected, NaN and infinities included: |difference| <= allowed. */
void expect_outputs(const version *v, const problem *p, tensors t, const double *expected, double allowed,
                    const char *what);

/* Runs a shell command; its output and error output go to text (cut at size), its exit status is returned. */
int command(const char *line, char *text, size_t size);

/* What run_version was last asked, in words: for a report of a crash. */
const char *last_input(void);

/* What a runner does in the process of every test, before and after it; NULL: nothing. */
extern void (*before_test)(void), (*after_test)(void);
void begin_test(void);
void end_test(void);

/* one test case per suite file: TEST_CASE(suite, name, timeout in seconds) */
#define TEST_CASE(suite, name, seconds) \
    TCase *name = tcase_create(#name); \
    tcase_set_timeout(name, seconds); \
    tcase_add_checked_fixture(name, begin_test, end_test); \
    suite_add_tcase(suite, name)

#endif
