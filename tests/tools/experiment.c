/* The measurements behind the lessons, one small table each.
 *
 *     build/experiment              the list of experiments
 *     build/experiment scale        one of them
 *
 * Every table is comma-separated with a heading, so that the lessons can show it and gnuplot can draw it.
 * Each takes less than a second. */
#include "experiment.h"
#include "../suites/article.h"
#include "../suites/reference.h"
#include "npy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *tensor(const char *path, size_t shape[2])
{
    npy_array a;
    char message[NPY_MESSAGE];
    if (npy_read(path, &a, message)) fprintf(stderr, "experiment: %s\n", message), exit(2);
    memcpy(shape, a.shape, 2 * sizeof *shape);
    return a.data;
}

data article(double hot)
{
    size_t q[2], k[2], v[2];
    data a = {.Q = tensor(ARTICLE "Q.npy", q), .K = tensor(ARTICLE "K.npy", k), .V = tensor(ARTICLE "V.npy", v)};
    a.p = simple_problem(q[0], k[0], q[1], v[1], ARTICLE_BLOCK);
    for (size_t i = 0; i < q[0] * q[1]; i++) a.Q[i] = (float)(a.Q[i] * hot);
    for (size_t i = 0; i < k[0] * k[1]; i++) a.K[i] = (float)(a.K[i] * hot);
    return a;
}

void free_data(data a) { free(a.Q), free(a.K), free(a.V); }

double *run(const char *name, const data *a)
{
    double *O = need(a->p.n * a->p.dv, sizeof *O);
    const int error = version_named(name)->run(&a->p, a->Q, a->K, a->V, O);
    if (error) fprintf(stderr, "experiment: %s: %s\n", name, strerror(error)), exit(2);
    return O;
}

static const struct { const char *name, *what; void (*run)(void); } experiments[] = {
    {"scale", "stage 0: why scores are divided by sqrt(d)", scale},
    {"hot", "stage 2: outputs that are not finite, as the scores grow", hot},
    {"blocks", "stage 3: the error of the blockwise bug over the number of blocks", blocks},
    {"account", "stage 4: maximum, rescale and sum of one query, block by block", account},
    {"dense", "stage 4: attention_flash tile by tile, every query sees every key", dense},
    {"causal", "stage 4: the same, and no query sees a later key", causal},
    {"storage", "bytes that each version holds beside inputs and outputs, as counted", storage},
    {"resident", "memory of a process that runs the version, as the system counts it", resident},
    {"grid", "the deviation of version 2 as the scores grow", grid},
    {"stuck", "where a sum of ones stops growing, by number type", stuck},
    {"rows", "the relative error of a row as it gets longer, of five versions", rows},
    {"tokens", "the weights of two heads of a real model", tokens},
};

/* the status of the program, unless what it printed did not arrive */
static int finished(int status)
{
    return fflush(stdout) || ferror(stdout) ? perror("experiment: standard output"), 2 : status;
}

int main(int argc, char **argv)
{
    const size_t count = sizeof experiments / sizeof *experiments;
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (!strcmp(argv[1], experiments[i].name)) return experiments[i].run(), finished(0);
    FILE *out = argc == 1 ? stdout : stderr;
    fprintf(out, "usage: build/experiment NAME, where NAME is one of\n");
    for (size_t i = 0; i < count; i++) fprintf(out, "  %-8s %s\n", experiments[i].name, experiments[i].what);
    return finished(argc == 1 ? 0 : 2);
}
