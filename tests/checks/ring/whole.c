/* See tests.h. */
#include "tests.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static double uniform(void) /* splitmix64: Steele, Lea and Flood 2014 */
{
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static float *random_tensor(size_t count, float factor) /* Box and Muller 1958 */
{
    float *x = need(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = factor * (float)(sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()));
    return x;
}

flash_problem ask(size_t batch, size_t heads, size_t kv_heads, size_t n, size_t m, size_t d, size_t dv, bool causal)
{
    return (flash_problem){.batch = batch, .heads = heads, .kv_heads = kv_heads, .n = n, .m = m, .d = d, .dv = dv,
                           .scale = (float)(1 / sqrt((double)d)), .causal = causal, .threads = 1};
}

whole random_whole(flash_problem p, float factor)
{
    const size_t heads = p.batch * p.heads, kv = p.batch * p.kv_heads;
    return (whole){p, random_tensor(heads * p.n * p.d, factor), random_tensor(kv * p.m * p.d, factor),
                   random_tensor(kv * p.m * p.dv, 1), need(heads * p.n * p.dv, sizeof(float)),
                   need(heads * p.n, sizeof(float))};
}

void free_whole(whole *w) { free(w->Q), free(w->K), free(w->V), free(w->O), free(w->lse); }

/* my two chunks [2][heads][tokens of the chunk][width] out of all [heads][tokens][width], or back into it */
static void deal(size_t heads, size_t tokens, size_t width, float *all, float *mine, bool back)
{
    const ring_share share = ring_share_of(rank, ranks, tokens);
    for (int side = 0; side < 2; side++)
        for (size_t h = 0; h < heads; h++) {
            float *at = all + (h * tokens + share.chunk[side].first) * width;
            const size_t count = share.chunk[side].tokens * width;
            memcpy(back ? at : mine, back ? mine : at, count * sizeof *at);
            mine += count;
        }
}

static void gather(size_t heads, size_t tokens, size_t width, float *all, float *mine)
{
    memset(all, 0, heads * tokens * width * sizeof *all);
    deal(heads, tokens, width, all, mine, true);
    MPI_Allreduce(MPI_IN_PLACE, all, (int)(heads * tokens * width), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
}

int run_ring(whole *w)
{
    const flash_problem *p = &w->p;
    const size_t heads = p->batch * p->heads, kv = p->batch * p->kv_heads;
    const size_t n = ring_share_of(rank, ranks, p->n).tokens, m = ring_share_of(rank, ranks, p->m).tokens;
    float *q = need(heads * n * p->d, sizeof *q), *o = need(heads * n * p->dv, sizeof *o);
    float *k = need(kv * m * p->d, sizeof *k), *v = need(kv * m * p->dv, sizeof *v), *l = need(heads * n, sizeof *l);
    deal(heads, p->n, p->d, w->Q, q, false);
    deal(kv, p->m, p->d, w->K, k, false), deal(kv, p->m, p->dv, w->V, v, false);
    const int error = attention_ring(p, q, k, v, o, l, MPI_COMM_WORLD);
    gather(heads, p->n, p->dv, w->O, o), gather(heads, p->n, 1, w->lse, l);
    return free(q), free(k), free(v), free(o), free(l), error;
}

size_t tree_cut(size_t m, int r) { return m * (size_t)r * (size_t)(r + 1) / ((size_t)ranks * (size_t)(ranks + 1)); }

int run_tree(whole *w)
{
    const flash_problem *p = &w->p;
    const size_t kv = p->batch * p->kv_heads, from = tree_cut(p->m, rank), m = tree_cut(p->m, rank + 1) - from;
    float *k = need(kv * m * p->d, sizeof *k), *v = need(kv * m * p->dv, sizeof *v);
    for (size_t h = 0; h < kv; h++) {
        memcpy(k + h * m * p->d, w->K + (h * p->m + from) * p->d, m * p->d * sizeof *k);
        memcpy(v + h * m * p->dv, w->V + (h * p->m + from) * p->dv, m * p->dv * sizeof *v);
    }
    flash_problem mine = *p;
    mine.m = m;
    const int error = attention_tree(&mine, w->Q, k, v, w->O, w->lse, MPI_COMM_WORLD);
    return free(k), free(v), error;
}

/* the largest deviation of float32 outputs from the reference */
static double deviation(size_t count, const float *found, const double *expected)
{
    double *wide = need(count, sizeof *wide);
    for (size_t i = 0; i < count; i++) wide[i] = found[i];
    const double largest = largest_deviation(count, wide, expected, NULL);
    return free(wide), largest;
}

void expect_right(const whole *w, const char *what)
{
    const flash_problem *p = &w->p;
    const problem asked = {p->batch, p->heads, p->kv_heads, p->n, p->m, p->d, p->dv, 1, p->scale, p->causal};
    const size_t rows = p->batch * p->heads * p->n, count = rows * p->dv;
    double allowed = 0, found = 0, lse_allowed = 0, lse_found = 0, largest = 1;
    if (rank == 0) {
        double *expected = need(count, sizeof *expected), *logs = need(rows, sizeof *logs);
        float *O = need(count, sizeof *O), *lse = need(rows, sizeof *lse);
        reference(&asked, w->Q, w->K, w->V, expected, logs);
        attention_flash(p, w->Q, w->K, w->V, O, lse);
        for (size_t i = 0; i < rows; i++) { /* of only -inf one call has lse -inf, the reference NaN */
            if (isnan(logs[i])) logs[i] = lse[i];
            if (isfinite(logs[i])) largest = fmax(largest, fabs(logs[i]));
        }
        const double one_call = deviation(count, O, expected), one_lse = deviation(rows, lse, logs);
        allowed = tolerance(&asked, 0x1p-24, w->Q, w->K, w->V, expected);
        if (isfinite(one_call)) allowed = fmax(allowed, 1.25 * one_call);
        lse_allowed = (isfinite(one_lse) ? 1.25 * one_lse : 0) + 4 * 0x1p-24 * largest;
        found = deviation(count, w->O, expected), lse_found = deviation(rows, w->lse, logs);
        free(expected), free(logs), free(O), free(lse);
    }
    check(found <= allowed, "%s: O is off by %.3g, allowed %.3g: batch %zu, heads %zu/%zu, n %zu, m %zu, d %zu, dv %zu",
          what, found, allowed, p->batch, p->heads, p->kv_heads, p->n, p->m, p->d, p->dv);
    check(lse_found <= lse_allowed, "%s: lse is off by %.3g, allowed %.3g: n %zu, m %zu", what, lse_found, lse_allowed,
          p->n, p->m);
}
