/* The versions side by side: one table, so that the same can be asked of each. */
#ifndef VERSIONS_H
#define VERSIONS_H

#include "../../04_online_softmax/flash.h"
#include <stdbool.h>
#include <stddef.h>

/* What is asked: tensors Q [batch][heads][n][d], K [batch][kv_heads][m][d], V [batch][kv_heads][m][dv],
 * O [batch][heads][n][dv]. Query head h reads key/value head h / (heads / kv_heads). */
typedef struct {
    size_t batch, heads, kv_heads, n, m, d, dv;
    size_t block;  /* keys in a block, for the versions that take them in blocks */
    double scale;  /* of the scores; versions without options know only 1 / sqrt(d) */
    bool causal;   /* query i sees key j when j <= i + m - n */
} problem;

typedef struct {
    int stage;          /* the number of its folder */
    const char *name;
    int (*run)(const problem *p, const float *Q, const float *K, const float *V, double *O); /* 0 or an errno value */
    double unit;        /* rounding unit of its sums: 2^-24 or 2^-53 */
    double overflow;    /* scores beyond this overflow exp; INFINITY: none do */
    bool blocks;        /* takes its keys in blocks */
    bool wrong;         /* with more than one block it is not attention */
    bool divides_last;  /* its undivided sums can leave float32 where the result does not */
    bool causal;        /* knows causal */
    bool options;       /* takes a scale, and grouped heads itself */
} version;

extern version versions[];
extern size_t version_count;

/* So many numbers IN_MARGIN are put behind a version's float32 results; were any written since? */
enum { IN_MARGIN = 54321 };
extern size_t outputs_margin;
extern bool margin_was_written;

/* the row of the table with that name, or NULL */
const version *version_named(const char *name);

/* From now on the table has only the row with that name: the suites ask that version alone. false: no such row. */
bool only_version(const char *name);

/* From now on the table has only the rows of that stage. false: there is none. */
bool only_stage(int stage);

/* From now on version 5 starts no threads: for a runner that allows none. */
void one_core(void);

/* version 5 with one of its kernels, a cuda_kernel; where there is a C++ compiler (HAVE_CUDA) */
int run_cuda_kernel(int kernel, const problem *p, const float *Q, const float *K, const float *V, double *O);

/* one head, one batch, every query sees every key, scale 1 / sqrt(d) */
problem simple_problem(size_t n, size_t m, size_t d, size_t dv, size_t block);

/* the same for attention_flash, which chooses its tiles and threads itself */
flash_problem flash_of(const problem *p);

/* numbers in O */
size_t outputs(const problem *p);

/* the key/value head, of all batches, that query head `head` of all batches reads */
size_t kv_head(const problem *p, size_t head);

/* keys that query i may see: the first so many */
size_t visible_keys(const problem *p, size_t i);

/* bytes that v asks for beside inputs and outputs at n = m, d = dv = STORAGE_D, in blocks of ARTICLE_BLOCK: asked of
 * the counting allocator, which refuses, so that nothing is computed */
enum { STORAGE_D = 64 };
size_t storage_asked(const version *v, size_t n);

#endif
