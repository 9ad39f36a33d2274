/* The experiments, and what they share. Each prints a comma-separated table with a heading, in less than a second. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "../suites/versions.h"

/* experiment_lessons.c: the numbers behind the lessons */
void scale(void), hot(void), blocks(void), account(void), tokens(void);
/* experiment_walk.c: attention_flash tile by tile */
void dense(void), causal(void);
/* experiment_costs.c: memory, and what rounding costs */
void storage(void), resident(void), grid(void), stuck(void), rows(void);

typedef struct { problem p; float *Q, *K, *V; } data;

/* the article's tensors, Q and K times hot; the caller frees them */
data article(double hot);
void free_data(data a);

/* the version's result; the caller frees it */
double *run(const char *name, const data *a);

#endif
