/* The few-queries path of attention_flash, and the merge of accounts.
 *
 * A model that writes its answer asks with one query at a time and looks at all keys so far. A tile of queries
 * would be nearly empty then, and nothing is used twice: every key and value is read from memory once, and
 * that reading is the whole cost. So a query goes alone, a block of keys at a time, SIMD runs along d and dv
 * instead of the queries, and the keys are split among the threads. Each part keeps an account of its own; merge
 * adds accounts. Storage: one block of weights. */
#include "common.h"
#include <string.h>

enum { BLOCK = 32 }; /* keys met at once: 8 KiB of K at d = 64, so several queries find them in the cache */

/* account [dv + 2] of query x [d] meets keys K [keys][d] and their values V [keys][dv] */
static void meet(const flash_problem *p, const float *x, size_t keys, const float *K, const float *V, float *account)
{
    const size_t d = p->d, dv = p->dv;
    float *values = account + VALUES, weight[BLOCK], max = account[MAXIMUM], sum = 0;
    for (size_t k = 0; k < keys; k++) {
        float s = 0;
        SIMD_SUM(s) for (size_t c = 0; c < d; c++) s += x[c] * K[k * d + c];
        weight[k] = s * p->scale;
        max = weight[k] > max ? weight[k] : max;
    }
    const float base = base_of(max), rescale = exp_negative(account[MAXIMUM] - base);
    SIMD_SUM(sum) for (size_t k = 0; k < keys; k++) sum += weight[k] = exp_negative(weight[k] - base);
    SIMD for (size_t c = 0; c < dv; c++) values[c] *= rescale;
    for (size_t k = 0; k < keys; k++) SIMD for (size_t c = 0; c < dv; c++) values[c] += weight[k] * V[k * dv + c];
    account[MAXIMUM] = max;
    account[SUM] = account[SUM] * rescale + sum;
}

void attend_few(const head *h, size_t i, size_t rows, size_t j, size_t end, float *account)
{
    const size_t d = h->p->d, dv = h->p->dv;
    memset(account, 0, rows * (dv + 2) * sizeof *account);
    for (size_t q = 0; q < rows; q++) account[q * (dv + 2) + MAXIMUM] = -INFINITY;
    for (; j < end; j += BLOCK)
        for (size_t q = 0; q < rows; q++) {
            const size_t stop = least(visible(h->p, i + q), least(end, j + BLOCK));
            if (j < stop)
                meet(h->p, h->Q + (i + q) * d, stop - j, h->K + j * d, h->V + j * dv, account + q * (dv + 2));
        }
}

/* Two accounts were measured against two maxima. Times exp(own maximum - common one) both are measured against the
 * larger, and then they simply add: version 4's rescale, with a second account in the place of the new block. */
void merge(size_t dv, float *account, const float *other)
{
    const float max = other[MAXIMUM] > account[MAXIMUM] ? other[MAXIMUM] : account[MAXIMUM], base = base_of(max);
    const float mine = exp_negative(account[MAXIMUM] - base), theirs = exp_negative(other[MAXIMUM] - base);
    account[MAXIMUM] = max;
    for (size_t c = SUM; c < dv + 2; c++) account[c] = account[c] * mine + other[c] * theirs;
}

void settle(const flash_problem *p, size_t i, const float *account, float *O, float *lse)
{
    const bool empty = visible(p, i) == 0; /* no key, an empty sum: 0, and not 0 / 0 */
    for (size_t c = 0; c < p->dv; c++) O[c] = empty ? 0 : account[VALUES + c] / account[SUM];
    if (lse) *lse = empty ? -INFINITY : account[MAXIMUM] + logf(account[SUM]);
}

void settle_parts(const flash_problem *p, size_t parts, float *accounts, float *O, float *lse)
{
    const size_t w = p->dv + 2;
    for (size_t row = 0; row < p->batch * p->heads * p->n; row++, accounts += parts * w) {
        for (size_t part = 1; part < parts; part++) merge(p->dv, accounts, accounts + part * w);
        settle(p, row % p->n, accounts, O + row * p->dv, lse ? lse + row : NULL);
    }
}
