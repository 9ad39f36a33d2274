/* Experiments: the numbers behind the lessons, on the article's data and on a real model's. */
#include "experiment.h"
#include "../suites/reference.h"
#include "npy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
void scale(void)
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
void blocks(void)
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

void hot(void)
{
    printf("hot, largest score, share not finite in version 1, in version 2\n");
    for (int step = 0; step <= 18; step++) {
        const data a = article(1 + step * 0.5);
        printf("%3.1f, %13.2f, %29.3f, %12.3f\n",
               1 + step * 0.5, largest_score(&a.p, a.Q, a.K), not_finite("matrix", &a), not_finite("safe", &a));
        free_data(a);
    }
}

/* ---- stage 4: one query's account as the keys come in, blocks of 4 ---- */

/* the online softmax of version 4 for one query of the article's data whose maximum rises often, its numbers printed */
void account(void)
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

void tokens(void)
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
