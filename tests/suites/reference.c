/* The reference and the tolerance rule. */
#include "reference.h"
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

/* The widest number that the processor itself computes with: 113 bits are software, and fifty times as slow. (In a
 * browser the few numbers of a page can wait for them, and are those of the program here.) */
#if LDBL_MANT_DIG == 64 || defined __wasm__
typedef long double wide;
#else
typedef double wide;
#endif

void *need(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fprintf(stderr, "no memory for %zu items of %zu bytes\n", count, size);
    exit(2);
}

void reference(const problem *p, const float *Q, const float *K, const float *V, double *O, double *lse)
{
    wide *s = need(p->m, sizeof *s);
    for (size_t row = 0; row < p->batch * p->heads * p->n; row++) {
        const size_t keys = visible_keys(p, row % p->n), head = kv_head(p, row / p->n);
        const float *q = Q + row * p->d, *k = K + head * p->m * p->d, *v = V + head * p->m * p->dv;
        wide max = -INFINITY, sum = 0;
        for (size_t j = 0; j < keys; j++) {
            wide dot = 0;
            for (size_t c = 0; c < p->d; c++) dot += (wide)q[c] * k[j * p->d + c];
            s[j] = dot * p->scale;
            max = fmax(max, s[j]);
        }
        for (size_t j = 0; j < keys; j++) sum += s[j] = exp(s[j] - max);
        for (size_t c = 0; c < p->dv; c++) {
            wide o = 0;
            for (size_t j = 0; j < keys; j++) o += s[j] * v[j * p->dv + c];
            O[row * p->dv + c] = keys ? (double)(o / sum) : 0;
        }
        if (lse) lse[row] = keys ? (double)(max + log(sum)) : -INFINITY;
    }
    free(s);
}

void blockwise_reference(const problem *p, const float *Q, const float *K, const float *V, double *O)
{
    double *part = need(p->n * p->dv, sizeof *part);
    for (size_t i = 0; i < p->n * p->dv; i++) O[i] = 0;
    for (size_t j = 0; j < p->m; j += p->block) {
        problem block = *p;
        block.m = p->m - j < p->block ? p->m - j : p->block;
        reference(&block, Q, K + j * p->d, V + j * p->dv, part, NULL);
        for (size_t i = 0; i < p->n * p->dv; i++) O[i] += part[i];
    }
    free(part);
}

void plain(const problem *p, const float *Q, const float *K, const float *V, float *O)
{
    float *s = need(p->m, sizeof *s);
    for (size_t row = 0; row < p->batch * p->heads * p->n; row++) {
        const size_t keys = visible_keys(p, row % p->n), head = kv_head(p, row / p->n);
        const float *q = Q + row * p->d, *k = K + head * p->m * p->d, *v = V + head * p->m * p->dv;
        float max = -INFINITY, sum = 0;
        for (size_t j = 0; j < keys; j++) {
            float dot = 0;
            for (size_t c = 0; c < p->d; c++) dot += q[c] * k[j * p->d + c];
            s[j] = dot * (float)p->scale;
            max = fmaxf(max, s[j]);
        }
        for (size_t j = 0; j < keys; j++) sum += s[j] = expf(s[j] - max);
        for (size_t c = 0; c < p->dv; c++) {
            float o = 0;
            for (size_t j = 0; j < keys; j++) o += s[j] / sum * v[j * p->dv + c];
            O[row * p->dv + c] = o;
        }
    }
    free(s);
}

double tolerance(const problem *p, double unit, const float *Q, const float *K, const float *V, const double *expected)
{
    const size_t count = outputs(p), values = p->batch * p->kv_heads * p->m * p->dv;
    float *O = need(count, sizeof *O);
    double error = 0, largest = 0;
    plain(p, Q, K, V, O);
    for (size_t i = 0; i < count; i++) /* where either is not finite, rounding is not the question */
        if (isfinite(O[i]) && isfinite(expected[i])) error = fmax(error, fabs(O[i] - expected[i]));
    for (size_t i = 0; i < values; i++)
        if (isfinite(V[i])) largest = fmax(largest, fabs(V[i]));
    free(O);
    const double times = unit < 0x1p-24 ? 4 : 2; /* float64 rounds elsewhere than plain, whose error tells the size */
    return unit / 0x1p-24 * (times * error + 4 * 0x1p-24 * largest);
}

double largest_deviation(size_t count, const double *found, const double *expected, size_t *where)
{
    double largest = 0;
    if (where) *where = 0;
    for (size_t i = 0; i < count; i++) {
        const bool same = found[i] == expected[i] || (isnan(found[i]) && isnan(expected[i]));
        double deviation = same ? 0 : fabs(found[i] - expected[i]);
        if (!isfinite(deviation)) deviation = INFINITY;
        if (deviation <= largest) continue;
        largest = deviation;
        if (where) *where = i;
    }
    return largest;
}

double largest_score(const problem *p, const float *Q, const float *K)
{
    double largest = -INFINITY;
    for (size_t row = 0; row < p->batch * p->heads * p->n; row++)
        for (size_t j = 0; j < p->m; j++) {
            const float *q = Q + row * p->d, *k = K + (kv_head(p, row / p->n) * p->m + j) * p->d;
            double s = 0;
            for (size_t c = 0; c < p->d; c++) s += (double)q[c] * k[c];
            largest = fmax(largest, s * p->scale);
        }
    return largest;
}
