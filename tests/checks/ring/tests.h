/* What the tests of the ring share. Every rank holds the whole problem, so that it can be compared. */
#ifndef TESTS_H
#define TESTS_H

#include "../../../04_online_softmax/ring/ring.h"
#include "../../suites/reference.h"
#include <stdint.h>

extern int rank, ranks;

/* Counts one check, which is right if it is right on all ranks. The first that fails is printed. All ranks call. */
bool check(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct { flash_problem p; float *Q, *K, *V, *O, *lse; } whole; /* O, lse: what was computed */

/* a problem with the scale 1 / sqrt(d), for one thread */
flash_problem ask(size_t batch, size_t heads, size_t kv_heads, size_t n, size_t m, size_t d, size_t dv, bool causal);

/* normal tensors, Q and K times factor */
whole random_whole(flash_problem p, float factor);
void free_whole(whole *w);

/* Each deals the whole problem to the ranks, runs, and gathers O and lse on every rank; returns what the call did. */
int run_ring(whole *w);
int run_tree(whole *w); /* rank r brings more keys than rank r - 1 */

/* Holds O and lse to the reference: the rule of the other suites or 1.25 times what one attention_flash has, where that
 * is more. */
void expect_right(const whole *w, const char *what);

/* the numbers of keys that rank r brings to the tree begin at */
size_t tree_cut(size_t m, int r);

void written(void), shares(void), dense(void), causal(void), hot(void), tree(void), bytes(void), balance(void);
void waits(void), policy(void), bits(void), errors(void), storage(void), mail(void), killed(void);

#endif
