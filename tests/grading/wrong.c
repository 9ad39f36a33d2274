/* Attention with a mistake of the table in it. */
#include "wrong.h"
#include <math.h>

enum { MOST = 128, ROWS = 8 };

/* in attention_tiled's tiles (versions.c gives them these rows): what query i sees if its tile decides */
static size_t seen_in_tile(enum mask mask, const problem *p, size_t i)
{
    const size_t rows = p->block / 2 + 1, first = i / rows * rows, last = first + rows - 1;
    if (mask == ROW_OF_TILE) return visible_keys(p, i - first);
    if (mask == LAST_OF_TILE) return visible_keys(p, last < p->n ? last : p->n - 1);
    const size_t most = (visible_keys(p, first) + p->block - 1) / p->block * p->block;
    return visible_keys(p, i) < most ? visible_keys(p, i) : most;
}

static size_t keys_seen(const mistake *w, const problem *p, size_t i)
{
    if (w->mask == UNASKED) return i + 1 < p->m ? i + 1 : p->m;
    if (w->tail == N_KEYS) return p->n < p->m ? p->n : p->m;
    if (!p->causal || w->mask == NO_MASK || w->mask == MASK_TURNED) return p->m;
    const size_t right = visible_keys(p, i);
    if (w->mask >= ROW_OF_TILE) return seen_in_tile(w->mask, p, i);
    if (w->mask == TOP_LEFT) return i + 1 < p->m ? i + 1 : p->m;
    if (w->mask == ONE_MORE) return right < p->m ? right + 1 : p->m;
    return w->mask == ONE_LESS ? right - (right > 0) : right;
}

/* the key or value that pick reads in place of number j, whose block starts at first, for query i */
static size_t picked(enum pick pick, const problem *p, size_t i, size_t j, size_t first)
{
    return pick == FIRST_BLOCK                     ? j - first
         : pick == BLOCK_NUMBER                    ? j - first + first / p->block
         : pick == BLOCK_BEFORE && first           ? j - p->block
         : pick == REVERSED                        ? p->m - 1 - j
         : pick == OF_QUERY                        ? (i < p->m ? i : p->m - 1) : j;
}

/* The kernel's column e / 4 * 16 + thread % 4 * 4 + e % 4: by mistake e itself is read */
static size_t column_e(size_t c) { return c / 16 * 4 + c % 4; }

static float product(const mistake *w, const problem *p, tensors t, size_t i, size_t j, size_t k)
{
    const float *Q = t.Q, *K = t.K;
    if (w->keys == SWAPPED) return Q[j * p->d + k] * K[i * p->d + k];
    if (w->keys == Q_TRANSPOSED) return Q[k * p->d + i] * K[j * p->d + k];
    if (w->keys == COLUMN_E) return Q[i * p->d + k] * K[j * p->d + column_e(k)];
    return Q[i * p->d + k] * K[w->keys == TRANSPOSED ? k * p->m + j : j * p->d + k];
}

static float score(const mistake *w, const problem *p, tensors t, size_t i, size_t j)
{
    const double d = (double)p->d, dv = (double)p->dv, m = (double)p->m, scale = p->scale;
    const double factor[] = {[BY_ROOT_D] = scale, [NO_SCALE] = 1, [SCALE_SQUARED] = 1 / d,
        [SCALE_HALF_D] = 1 / sqrt(d / 2), [SCALE_HALF_D_WHOLE] = 1 / sqrt((double)(p->d / 2 + (p->d < 2))),
        [SCALE_FROM_DV] = 1 / sqrt(dv), [SCALE_FROM_M] = 1 / sqrt(m), [TIMES_ROOT_D] = sqrt(d),
        [SCALE_TWICE] = scale * scale, [BASE_2] = scale * log(2)};
    const size_t first = w->terms == LAST_TERM ? p->d - 1 : 0;
    const size_t end = w->terms == FIRST_TERM ? 1 : w->terms == NO_LAST_TERM ? p->d - 1
                     : w->terms == HALF_TERMS ? p->d / 2
                     : w->terms == DV_TERMS && p->dv < p->d ? p->dv : p->d;
    float dot = 0;
    for (size_t k = first; k < end; k++) dot += product(w, p, t, i, j, k);
    return dot * (float)factor[w->scale];
}

static float carried(enum account account, float old, float rescale)
{
    switch (account) {
        case KEPT: case AFTER_ADDING: return old;
        case TURNED: return old / rescale;
        case FORGOTTEN: return 0;
        case TIMES_0: return old * 0;
        case LOST_IF_RAISED: return old * (rescale < 1 ? 0 : 1);
        case RESCALED_TWICE: return old * rescale * rescale;
        case BY_ROOT: return old * sqrtf(rescale);
        default: return old * rescale;
    }
}

/* what a row knows of the blocks so far */
typedef struct { float max, sum, block_sum, score_sum, output[MOST]; } account;

/* the maximum that this mistake finds in a block, and what it subtracts; how: s [columns] are the scores */
static float new_maximum(const mistake *w, const account *a, size_t columns, const float *s)
{
    float max = w->base == BLOCK_MAX ? -INFINITY : a->max;
    for (size_t k = 0; k + (w->base == BEFORE_LAST) < columns; k++)
        max = w->base == LAST_SCORE ? s[k] : fmaxf(max, w->base == ABSOLUTE ? fabsf(s[k]) : s[k]);
    if (w->base == FIRST_SCORE) max = s[0];
    for (size_t k = 0; k < columns && w->base == MEAN; k++) max = (k ? max : 0) + s[k] / (float)columns;
    for (size_t k = 0; k < columns && w->base == SMALLEST; k++) max = k ? fminf(max, s[k]) : s[k];
    return max;
}

static float subtracted(const mistake *w, const problem *p, float old, float max)
{
    const float safe = max == -INFINITY && !w->bare ? 0 : max;
    return w->base == NO_MAX ? 0 : w->base == MAX_ADDED ? -safe : w->base == MAX_TWICE ? 2 * safe
         : w->base == OLD_MAX ? (old == -INFINITY && !w->bare ? 0 : old)
         : w->base == UNSCALED ? safe * (float)(1 / p->scale) : safe;
}

static float weight(const mistake *w, float x)
{
    const float of[] = {[EXP] = expf(x), [SCORE] = x, [HALVED] = expf(x / 2), [DOUBLED] = expf(2 * x),
                        [NEGATED] = expf(-x), [POSITIVE] = fmaxf(x, 0)};
    return w->drops_nan && isnan(of[w->weight]) ? 0 : of[w->weight];
}

/* the scores s become weights and are added to the sum */
static void enter_weights(const mistake *w, size_t columns, float base, float start, float rescale, float *s,
                          account *a)
{
    a->sum = carried(w->sum, a->sum, rescale);
    a->block_sum = 0;
    for (size_t k = 0; k < columns; k++) {
        if (w->base == RUNNING) base = start = fmaxf(start, s[k]);
        a->score_sum += s[k];
        s[k] = weight(w, s[k] - base);
        a->sum = w->sum == LAST_TERM_ONLY ? s[k] : a->sum + s[k];
        a->block_sum += s[k];
        if (w->divide == BY_SO_FAR) s[k] /= a->sum;
    }
    if (w->sum == AFTER_ADDING) a->sum *= rescale;
}

/* enters keys first .. first + keys - 1 of row i, their scores in s; s may hold more: columns of padding */
static void enter(const mistake *w, const problem *p, tensors t, size_t i, size_t first, size_t keys, size_t columns,
                  float *s, account *a)
{
    const float old = a->max, max = new_maximum(w, a, columns, s), base = subtracted(w, p, old, max);
    const float safe = max == -INFINITY && !w->bare ? 0 : max;
    const float rescale = w->base == NO_MAX ? 1 : expf(old - safe);
    a->max = max;
    enter_weights(w, columns, base, old, rescale, s, a);
    const bool alone = w->divide == BLOCK_BY_ITSELF || w->divide == AVERAGED;
    for (size_t c = 0; c < p->dv; c++) {
        const enum account how = w->output == ONE_COLUMN ? c ? KEPT : RESCALED : w->output;
        a->output[c] = carried(how, a->output[c], rescale);
        if (w->divide == EVERY_BLOCK_EARLY) a->output[c] /= a->sum;
        for (size_t k = 0; k < keys; k++) {
            const size_t v = picked(w->values, p, i, first + k, first);
            const size_t at = w->values == TRANSPOSED ? c * p->m + v
                            : v * p->dv + (w->values == COLUMN_E ? column_e(c) : c);
            const float term = (alone ? s[k] / a->block_sum : s[k]) * t.V[at];
            a->output[c] = w->output == LAST_TERM_ONLY ? term : a->output[c] + term;
        }
        if (w->output == AFTER_ADDING) a->output[c] *= rescale;
        if (w->divide == EVERY_BLOCK || w->divide == EVERY_BLOCK_AND_AT_END) a->output[c] /= a->sum;
    }
}

/* the blocks of row i, one after the other; the number of them is returned */
static float enter_blocks(const mistake *w, const problem *p, tensors t, size_t i, account *a)
{
    const size_t seen = keys_seen(w, p, i), m = seen - (seen && w->tail == NO_LAST_KEY);
    const size_t step = w->tail == STEP_1 ? 1 : w->tail == STEP_TOO_FAR ? p->block + 1
                      : w->tail == STEP_2_BLOCKS ? 2 * p->block : p->block;
    float s[2 * MOST] = {0}, blocks = 0;
    const size_t start = w->tail == NO_FIRST_KEY ? 1 : w->tail == NO_FIRST_BLOCK ? p->block : 0;
    for (size_t j = start; j < m; j += step, blocks++) {
        size_t first = j, keys = m - j < p->block ? m - j : p->block;
        if ((keys < p->block && w->tail == DROPPED) || (blocks > 0 && w->tail == FIRST_BLOCK_ONLY)) break;
        if (w->tail == NO_LAST_BLOCK && j + p->block >= m) break;
        if (keys < p->block && w->tail == OVERLAPPED && m >= p->block) first = m - p->block, keys = p->block;
        if (w->tail == NO_LAST_OF_BLOCK && keys == p->block && keys > 1) keys--;
        if (w->tail == ONE_OF_BLOCK) keys = 1;
        const size_t columns = w->tail == PADDED ? p->block : keys;
        for (size_t k = 0; k < columns; k++)
            s[k] = k >= keys ? 0 : score(w, p, t, i, picked(w->keys, p, i, first + k, first));
        for (size_t k = 0; k < keys && p->causal && w->mask == MASK_TURNED; k++)
            if (first + k < visible_keys(p, i)) s[k] = -INFINITY;
        enter(w, p, t, i, first, keys, columns, s, a);
    }
    return blocks;
}

/* what the outputs of row i are divided by, in column c */
static float divisor(const mistake *w, const account *rows, size_t n, size_t i, size_t c, float blocks, size_t m)
{
    const account *a = &rows[i];
    float sums = 0;
    for (size_t r = 0; r < n; r++)
        sums += (w->divide == BY_ALL_ROWS || r <= i) ? rows[r].sum : 0;
    switch (w->divide) {
        case NEVER: case BLOCK_BY_ITSELF: case EVERY_BLOCK: case BY_SO_FAR: return 1;
        case TWICE: return a->sum * a->sum;
        case MULTIPLIED: return 1 / a->sum;
        case BY_LAST_BLOCK: return a->block_sum;
        case BY_COUNT: return (float)m;
        case AVERAGED: return blocks;
        case BY_SCORES: return a->score_sum;
        case BY_COLUMN: return rows[c < n ? c : n - 1].sum;
        case BY_FIRST_ROW: return rows[0].sum;
        case BY_ALL_ROWS: case BY_ROWS_SO_FAR: return sums;
        default: return a->sum;
    }
}

static void wrong_rows(const mistake *w, const problem *p, tensors t, double *O)
{
    static account rows[ROWS];
    for (size_t i = 0; i < p->n; i++) {
        rows[i] = (account){.max = w->start != 0 ? (float)w->start : -INFINITY};
        const float blocks = enter_blocks(w, p, t, i, &rows[i]);
        if (w->divide == BY_ALL_ROWS || w->divide == BY_COLUMN) continue;
        for (size_t c = 0; c < p->dv; c++)
            O[i * p->dv + c] = rows[i].output[c] / divisor(w, rows, i + 1, i, c, blocks, p->m);
    }
    for (size_t k = 0; k < p->n * p->dv && (w->divide == BY_ALL_ROWS || w->divide == BY_COLUMN); k++)
        O[k] = rows[k / p->dv].output[k % p->dv] / divisor(w, rows, p->n, k / p->dv, k % p->dv, 0, p->m);
    for (size_t k = 0; k < p->n * p->dv; k++)
        if (!keys_seen(w, p, k / p->dv)) O[k] = 0;
}

/* every column of exp(S) divided by its own sum */
static void column_softmax(const mistake *w, const problem *p, tensors t, double *O)
{
    for (size_t i = 0; i < p->n * p->dv; i++) O[i] = 0;
    for (size_t j = 0; j < p->m; j++) {
        double sum = 0;
        for (size_t i = 0; i < p->n; i++) sum += exp(score(w, p, t, i, j));
        for (size_t i = 0; i < p->n; i++)
            for (size_t c = 0; c < p->dv; c++)
                O[i * p->dv + c] += exp(score(w, p, t, i, j)) / sum * t.V[j * p->dv + c];
    }
}

bool sees_none(size_t which, const problem *p, size_t i)
{
    return !visible_keys(p, i) || !keys_seen(&mistakes[which], p, i);
}

void wrong_attention(size_t which, const version *v, problem p, tensors t, double *O)
{
    const mistake *w = &mistakes[which];
    mistake own = *w;
    if (!v->blocks && v->stage != KERNEL) p.block = p.m; /* the whole row at once */
    if (v->overflow < INFINITY && own.base == ROW_MAX) own.base = NO_MAX;
    if (v->wrong && w->divide == AT_END) { /* version 3 makes this mistake on purpose */
        own.base = BLOCK_MAX;
        own.divide = BLOCK_BY_ITSELF;
        if (w->output == RESCALED) own.output = KEPT;
    }
    if (w->columns) column_softmax(w, &p, t, O);
    else wrong_rows(&own, &p, t, O);
}
