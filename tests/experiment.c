/* The measurements behind the lessons, one small table each.
 *
 *     build/experiment              the list of experiments
 *     build/experiment scale        one of them
 *
 * Every table is comma-separated with a heading, so that the lessons can show it and gnuplot can draw it.
 * Each takes less than a second. */
#include "article.h"
#include "npy.h"
#include "reference.h"
#include "versions.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { problem p; float *Q, *K, *V; } data;

static float *tensor(const char *path, size_t shape[2])
{
    npy_array a;
    char message[NPY_MESSAGE];
    if (npy_read(path, &a, message)) fprintf(stderr, "experiment: %s\n", message), exit(2);
    memcpy(shape, a.shape, 2 * sizeof *shape);
    return a.data;
}

/* the article's tensors, Q and K times hot */
static data article(double hot)
{
    size_t q[2], k[2], v[2];
    data a = {.Q = tensor(ARTICLE "Q.npy", q), .K = tensor(ARTICLE "K.npy", k), .V = tensor(ARTICLE "V.npy", v)};
    a.p = simple_problem(q[0], k[0], q[1], v[1], ARTICLE_BLOCK);
    for (size_t i = 0; i < q[0] * q[1]; i++) a.Q[i] = (float)(a.Q[i] * hot);
    for (size_t i = 0; i < k[0] * k[1]; i++) a.K[i] = (float)(a.K[i] * hot);
    return a;
}

static void free_data(data a) { free(a.Q), free(a.K), free(a.V); }

/* the version's result; the caller frees it */
static double *run(const char *name, const data *a)
{
    double *O = need(a->p.n * a->p.dv, sizeof *O);
    const int error = version_named(name)->run(&a->p, a->Q, a->K, a->V, O);
    if (error) fprintf(stderr, "experiment: %s: %s\n", name, strerror(error)), exit(2);
    return O;
}

/* ---- stage 0: why scores are divided by sqrt(d) ---- */

/* the largest weight of a softmax over m numbers s times scale */
static double largest_weight(size_t m, const double s[], double scale)
{
    double max = -INFINITY, sum = 0;
    for (size_t j = 0; j < m; j++) max = fmax(max, s[j] * scale);
    for (size_t j = 0; j < m; j++) sum += exp(s[j] * scale - max);
    return 1 / sum;
}

/* the first d numbers of the article's 128 in every row */
static void scale(void)
{
    const data a = article(1);
    const size_t n = a.p.n, m = a.p.m, D = a.p.d;
    double *s = need(m, sizeof *s);
    printf("  d, sqrt(d), deviation of q.k, largest weight of q.k/sqrt(d), of q.k\n");
    for (size_t d = 2; d <= D; d *= 4) {
        double sum = 0, squares = 0, divided = 0, plain = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < m; j++) {
                s[j] = 0;
                for (size_t k = 0; k < d; k++) s[j] += (double)a.Q[i * D + k] * a.K[j * D + k];
                sum += s[j], squares += s[j] * s[j];
            }
            divided += largest_weight(m, s, 1 / sqrt((double)d)), plain += largest_weight(m, s, 1);
        }
        const double count = (double)n * m, mean = sum / count;
        printf("%3zu, %7.1f, %16.1f, %28.3f, %6.3f\n",
               d, sqrt((double)d), sqrt(squares / count - mean * mean), divided / n, plain / n);
    }
    free(s), free_data(a);
}

/* ---- stage 3: the error of a sum over blocks that are each normalised by themselves ---- */

static double bug(const data *a)
{
    double *safe = run("safe", a), *O = run("blockwise_bug", a);
    const double deviation = largest_deviation(a->p.n * a->p.dv, O, safe, NULL);
    free(safe), free(O);
    return deviation;
}

/* quiet: all keys alike and values that cancel; loud: all values 1 */
static void blocks(void)
{
    data a = article(1), quiet = article(0), loud = article(1);
    for (size_t i = 0; i < a.p.m * a.p.dv; i++) loud.V[i] = 1, quiet.V[i] = i / a.p.dv % 2 ? -1 : 1;
    printf("block, blocks, quiet, article,   loud\n");
    for (size_t block = a.p.m; block; block /= 2) {
        a.p.block = quiet.p.block = loud.p.block = block;
        printf("%5zu, %6zu, %5.3f, %7.3f, %6.3f\n", block, a.p.m / block, bug(&quiet), bug(&a), bug(&loud));
    }
    free_data(a), free_data(quiet), free_data(loud);
}

/* ---- stage 2: the share of outputs that are not finite ---- */

static double not_finite(const char *name, const data *a)
{
    double *O = run(name, a), count = 0;
    for (size_t i = 0; i < a->p.n * a->p.dv; i++) count += !isfinite(O[i]);
    free(O);
    return count / (a->p.n * a->p.dv);
}

static double largest_score(const data *a)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < a->p.n; i++)
        for (size_t j = 0; j < a->p.m; j++) {
            double s = 0;
            for (size_t k = 0; k < a->p.d; k++) s += (double)a->Q[i * a->p.d + k] * a->K[j * a->p.d + k];
            largest = fmax(largest, s * a->p.scale);
        }
    return largest;
}

static void hot(void)
{
    printf("hot, largest score, share not finite in version 1, in version 2\n");
    for (int step = 0; step <= 18; step++) {
        const data a = article(1 + step * 0.5);
        printf("%3.1f, %13.2f, %29.3f, %12.3f\n",
               1 + step * 0.5, largest_score(&a), not_finite("matrix", &a), not_finite("safe", &a));
        free_data(a);
    }
}

static const struct { const char *name, *what; void (*run)(void); } experiments[] = {
    {"scale", "stage 0: why scores are divided by sqrt(d)", scale},
    {"hot", "stage 2: outputs that are not finite, as the scores grow", hot},
    {"blocks", "stage 3: the error of the blockwise bug over the number of blocks", blocks},
};

int main(int argc, char **argv)
{
    const size_t count = sizeof experiments / sizeof *experiments;
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (!strcmp(argv[1], experiments[i].name)) return experiments[i].run(), 0;
    FILE *out = argc == 1 ? stdout : stderr;
    fprintf(out, "usage: build/experiment NAME, where NAME is one of\n");
    for (size_t i = 0; i < count; i++) fprintf(out, "  %-8s %s\n", experiments[i].name, experiments[i].what);
    return argc == 1 ? 0 : 2;
}
