/* What the versions are measured against. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "versions.h"

/* The oracle: safe softmax in long double, rounded to float64, every option. lse (or NULL): the logarithm of
 * each row's sum of exp(score), [batch][heads][n]; -inf for a row that sees no key, whose outputs are zeros. */
void reference(const problem *p, const float *Q, const float *K, const float *V, double *O, double *lse);

/* What version 3 gives, one head: the softmax of every block by itself, the blocks' results added. */
void blockwise_reference(const problem *p, const float *Q, const float *K, const float *V, double *O);

/* The plain safe version in float32 with every option: its error is what rounding alone costs on this input. */
void plain(const problem *p, const float *Q, const float *K, const float *V, float *O);

/* How far outputs with that rounding unit may be from expected (the reference's O):
 * 2 (largest error of plain) + 4 2^-24 max|V|; for float64 4 in place of 2, and all in proportion to the unit. */
double tolerance(const problem *p, double unit, const float *Q, const float *K, const float *V, const double *expected);

/* The largest |found - expected| over count outputs, or INFINITY where one is not a number, or infinite, and the
 * other is not the same. *where (or NULL): the place of the largest. */
double largest_deviation(size_t count, const double *found, const double *expected, size_t *where);

/* The largest Q[i] . K[j] times scale, in float64 */
double largest_score(const problem *p, const float *Q, const float *K);

/* memory for the tests' own arrays: zeroed; ends the program with a sentence where there is none */
void *need(size_t count, size_t size);

#endif
