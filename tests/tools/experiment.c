/* The measurements behind the lessons, one small table each.
 *
 *     build/experiment              the list of experiments
 *     build/experiment scale        one of them
 *
 * Every table is comma-separated with a heading, so that the lessons can show it and gnuplot can draw it.
 * Each takes less than a second. */
#include "../../04_online_softmax/flash.h"
#include "../suites/article.h"
#include "../suites/counted.h"
#include "npy.h"
#include "../suites/reference.h"
#include "../suites/versions.h"
#undef malloc /* the experiments' own memory is not counted */
#undef free
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- stage 4: one query's account as the keys come in, blocks of 4 ---- */

/* the online softmax of version 4 for one query of the article's data whose maximum rises often, its numbers printed */
static void account(void)
{
    enum { QUERY = 14, BLOCK = 4 };
    const data a = article(1);
    const size_t m = a.p.m, d = a.p.d;
    const float *q = a.Q + QUERY * d;
    float max = -INFINITY, sum = 0;
    printf("block, largest score, maximum, rescale,    sum\n");
    for (size_t j = 0; j < m; j += BLOCK) {
        float s[BLOCK], largest = -INFINITY;
        for (size_t k = 0; k < BLOCK; k++) {
            s[k] = 0;
            for (size_t c = 0; c < d; c++) s[k] += q[c] * a.K[(j + k) * d + c];
            s[k] *= (float)a.p.scale;
            largest = fmaxf(largest, s[k]);
        }
        const float new_max = fmaxf(max, largest), rescale = expf(max - new_max);
        sum *= rescale;
        for (size_t k = 0; k < BLOCK; k++) sum += expf(s[k] - new_max);
        max = new_max;
        printf("%5zu, %13.4f, %7.4f, %7.4f, %6.3f\n", j / BLOCK, largest, max, rescale, sum);
    }
    free_data(a);
}

/* ---- stage 4: attention_flash's walk, for the moving tiles ---- */

static void tell(void *none, const flash_step *s)
{
    (void)none;
    for (size_t row = s->i0; row < s->i1; row++) {
        const size_t r = row - s->i0;
        printf("%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%.9g,%.9g,%.9g,%.9g\n", s->step, s->head, row, s->i0, s->i1,
               s->j0, s->j1, s->skipped, s->maximum[r], s->sum[r], s->rescale[r], s->first[r]);
    }
}

/* The article's 64 keys, cut in two: the first half of each asks, the second half answers. */
static void walk(bool causal)
{
    const data a = article(1);
    const size_t n = a.p.m, d = a.p.d / 2;
    float *Q = need(n * d, sizeof *Q), *K = need(n * d, sizeof *K), *O = need(n * a.p.dv, sizeof *O);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++) Q[i * d + k] = a.K[2 * i * d + k], K[i * d + k] = a.K[(2 * i + 1) * d + k];
    const flash_problem p = {.batch = 1, .heads = 1, .kv_heads = 1, .n = n, .m = n, .d = d, .dv = a.p.dv,
                             .scale = 1 / sqrtf((float)d), .causal = causal, .br = 16, .bc = 8, .trace = tell};
    printf("step,head,row,i0,i1,j0,j1,skipped,maximum,sum,rescale,first\n");
    const int error = attention_flash(&p, Q, K, a.V, O, NULL);
    if (error) fprintf(stderr, "experiment: attention_flash: %s\n", strerror(error)), exit(2);
    free(Q), free(K), free(O), free_data(a);
}

static void dense(void) { walk(false); }
static void causal(void) { walk(true); }

/* ---- memory: what the versions hold beside inputs and outputs ----
 * Versions 0 to 4: version 5 also holds copies of inputs and outputs, as a graphics card has to. */

static size_t versions_on_cpu(void)
{
    size_t count = 0;
    while (count < version_count && versions[count].stage <= 4) count++;
    return count;
}

/* asked of the counting allocator, which refuses, so that nothing is computed */
static size_t storage_of(const version *v, size_t n)
{
    enum { D = 64 };
    const problem p = simple_problem(n, n, D, D, ARTICLE_BLOCK);
    float *x = need(n * D, sizeof *x);
    double *O = need(n * D, sizeof *O);
    counted_begin(0);
    v->run(&p, x, x, x, O);
    free(x), free(O);
    return counted_peak();
}

static void storage(void)
{
    printf("%8s", "n = m");
    for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14s", versions[i].name);
    printf("\n");
    for (size_t n = 1000; n <= 100000; n *= 10) {
        printf("%8zu", n);
        for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14zu", storage_of(&versions[i], n));
        printf("\n");
    }
}

/* runs the version on n = m, d = dv = 1; returns the most memory that this process ever held, in MB */
static double run_resident(const version *v, size_t n)
{
    const problem p = simple_problem(n, n, 1, 1, ARTICLE_BLOCK);
    float *x = need(n, sizeof *x);
    double *O = need(n, sizeof *O);
    struct rusage use;
    counted_begin((size_t)-1);
    if (v->run(&p, x, x, x, O) || getrusage(RUSAGE_SELF, &use)) return NAN;
    free(x), free(O);
#ifdef __APPLE__
    return use.ru_maxrss / 1e6; /* bytes there, kilobytes elsewhere */
#else
    return use.ru_maxrss * 1024 / 1e6;
#endif
}

static void resident(void)
{
    printf("%8s", "n = m");
    for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14s", versions[i].name);
    printf("\n");
    for (size_t n = 500; n <= 5000; n *= 10) {
        printf("%8zu", n);
        for (size_t i = 0; i < versions_on_cpu(); i++) { /* a process for each, since the number never falls */
            fflush(stdout);
            const pid_t child = fork();
            if (child == 0) printf(", %14.1f", run_resident(&versions[i], n)), exit(0);
            if (child < 0 || waitpid(child, NULL, 0) < 0) perror("experiment: fork"), exit(2);
        }
        printf("\n");
    }
}

/* ---- numerics: the grid that scores are rounded to, and where sums stick ---- */

/* version 2's largest deviation from float64 as the scores grow */
static void grid(void)
{
    printf("  hot, largest score, step of float32 there, version 2 from float64\n");
    for (double heat = 1; heat < 101; heat *= sqrt(10)) {
        const data a = article(heat);
        const float s = (float)largest_score(&a);
        double *right = need(a.p.n * a.p.dv, sizeof *right), *O = run("safe", &a);
        reference(&a.p, a.Q, a.K, a.V, right, NULL);
        printf("%5.1f, %13.2f, %21.1e, %23.1e\n", heat, s, nextafterf(s, INFINITY) - s,
               largest_deviation(a.p.n * a.p.dv, O, right, NULL));
        free(right), free(O), free_data(a);
    }
}

/* x rounded to a number of so many bits, ties to even */
static double rounded(double x, int bits)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

static void stuck(void)
{
    static const struct { const char *name; int bits; } types[] = {{"bfloat16", 8}, {"float16", 11}, {"float32", 24}};
    printf("type,     bits, a sum of ones stays at\n");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double sum = 0;
        while (rounded(sum + 1, types[i].bits) != sum) sum = rounded(sum + 1, types[i].bits);
        printf("%-8s, %4d, %22.0f\n", types[i].name, types[i].bits, sum);
    }
}

/* ---- a real model: the weights of two heads, with their tokens ---- */

#define DOG "tests/data/minilm/dog/"
enum { TOKENS = 13, TOKEN = 16 };

static void read_tokens(char token[TOKENS][TOKEN])
{
    FILE *f = fopen(DOG "tokens.txt", "r");
    for (size_t i = 0; i < TOKENS; i++)
        if (!f || fscanf(f, "%15s", token[i]) != 1) fprintf(stderr, "experiment: %stokens.txt: %d tokens expected\n",
                                                            DOG, TOKENS), exit(2);
    fclose(f);
}

/* the weights of one head: its output when the values are the identity */
static void head_weights(const char *folder, size_t head, double P[TOKENS][TOKENS])
{
    char path[2][64], message[NPY_MESSAGE];
    npy_array x[2];
    float I[TOKENS][TOKENS] = {{0}};
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], DOG "%s/%c.npy", folder, "QK"[i]);
        if (npy_read(path[i], &x[i], message)) fprintf(stderr, "experiment: %s\n", message), exit(2);
    }
    const size_t d = x[0].shape[2];
    const problem p = simple_problem(TOKENS, TOKENS, d, TOKENS, TOKENS);
    for (size_t i = 0; i < TOKENS; i++) I[i][i] = 1;
    reference(&p, x[0].data + head * TOKENS * d, x[1].data + head * TOKENS * d, &I[0][0], &P[0][0], NULL);
    free(x[0].data), free(x[1].data);
}

static void tokens(void)
{
    char token[TOKENS][TOKEN];
    double previous[TOKENS][TOKENS], noun[TOKENS][TOKENS];
    read_tokens(token);
    head_weights("layer0", 2, previous), head_weights("layer3", 1, noun);
    printf(" i,  j, %-8s, %-8s, layer 0 head 2, layer 3 head 1\n", "query", "key");
    for (size_t i = 0; i < TOKENS; i++)
        for (size_t j = 0; j < TOKENS; j++)
            printf("%2zu, %2zu, %-8s, %-8s, %14.3f, %14.3f\n", i, j, token[i], token[j], previous[i][j], noun[i][j]);
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
    {"tokens", "the weights of two heads of a real model", tokens},
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
