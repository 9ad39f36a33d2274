/* Recognises typical mistakes by their results.
 *
 * Attention with one idea missing gives results of its own, and they can be computed: wrong_attention does, for
 * every mistake in the table below. A version whose results on all probes are those of a mistake makes that mistake.
 * Where none fits, signs are read: what do the weights add up to, which inputs are right, which rows and columns. */
#include "mistakes.h"
#include "../suites/expect.h"
#include "../suites/reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum scale { BY_ROOT_D, NO_SCALE, SCALE_SQUARED, SCALE_FROM_DV, SCALE_FROM_M, TIMES_ROOT_D, BASE_2 };
enum base { ROW_MAX, BLOCK_MAX, NO_MAX, MAX_ADDED, FIRST_SCORE, LAST_SCORE };
enum divide {
    AT_END, NEVER, BLOCK_BY_ITSELF, AVERAGED, EVERY_BLOCK, EVERY_BLOCK_AND_AT_END, BY_LAST_BLOCK, BY_COUNT, WHOLE_ROW
};
enum tail { WHOLE, PADDED, DROPPED, OVERLAPPED, NO_LAST_KEY, NO_FIRST_KEY };
enum account { RESCALED, KEPT, TURNED, FORGOTTEN, TIMES_0, RESCALED_TWICE };
enum pick { OWN, BLOCK_BEFORE, FIRST_BLOCK, TRANSPOSED, REVERSED };
enum mask { ALIGNED, TOP_LEFT, ONE_MORE, ONE_LESS, NO_MASK };

typedef struct {
    const char *hint;
    enum scale scale;
    double start;             /* of the maximum; 0 stands for -INFINITY */
    enum base base;           /* what is subtracted before exp */
    enum account sum, output; /* what happens to them when a block is added */
    enum divide divide;
    enum tail tail;
    enum pick keys, values;
    enum mask mask;
    bool drops_nan;           /* a weight that is NaN counts as 0 */
    bool bare;                /* exp(score - max) without care for -inf minus -inf */
    bool columns;             /* softmax over the queries instead of the keys */
} mistake;

static const mistake mistakes[] = {
    {"the scores are not scaled: 1 / sqrt(d) is missing", .scale = NO_SCALE},
    {"the scores are divided by d; the scale is 1 / sqrt(d)", .scale = SCALE_SQUARED},
    {"the scale is taken from dv, the width of the values; it belongs to d, the width of queries and keys",
     .scale = SCALE_FROM_DV},
    {"the scale is taken from m, the number of keys; it belongs to d, the width of queries and keys",
     .scale = SCALE_FROM_M},
    {"the scores are multiplied by sqrt(d) where they should be divided by it", .scale = TIMES_ROOT_D},
    {"the exponential is taken to base 2 (exp2): softmax takes it to base e", .scale = BASE_2},
    {"the softmax runs down the columns of S, over the queries; it belongs to each row, over the keys",
     .columns = true},
    {"the last key is left out: the loop over keys ends one too early", .tail = NO_LAST_KEY},
    {"the first key is left out: the loop over keys starts at 0", .tail = NO_FIRST_KEY},
    {"the running maximum starts at 0 (or at a tiny positive number such as FLT_MIN): scores far below it get weight "
     "0; start at -INFINITY", .start = 1e-30},
    {"the running maximum starts at a finite negative number: scores far below it get weight 0; start at -INFINITY",
     .start = -1e4},
    {"no maximum was subtracted before exp: large scores overflow, very negative ones vanish", .base = NO_MAX},
    {"the maximum was added where it should be subtracted", .base = MAX_ADDED},
    {"the maximum is not the largest score of the row: the last score was taken", .base = LAST_SCORE, .bare = true},
    {"the maximum is not the largest score of the row: the first score was taken", .base = FIRST_SCORE, .bare = true},
    {"each block was measured against its own maximum: the account overflows where scores fall from block to block; "
     "keep the largest score so far", .base = BLOCK_MAX},
    {"each block was measured against its own maximum and nothing was rescaled: weights of different blocks do not "
     "compare", .base = BLOCK_MAX, .sum = KEPT, .output = KEPT},
    {"right until the maximum rises: neither the old sum nor the old output was rescaled", .sum = KEPT, .output = KEPT},
    {"right until the maximum rises: the old sum was not rescaled", .sum = KEPT},
    {"right until the maximum rises: the old output (the weighted values so far) was not rescaled", .output = KEPT},
    {"the rescale factor is upside down: it is exp(old maximum - new maximum), at most 1", .sum = TURNED,
     .output = TURNED},
    {"the sum is rescaled with the factor upside down: exp(old maximum - new maximum), at most 1", .sum = TURNED},
    {"the output is rescaled with the factor upside down: exp(old maximum - new maximum), at most 1", .output = TURNED},
    {"the sum is started anew in every block: what earlier blocks entered is lost", .sum = FORGOTTEN},
    {"the output is started anew in every block: what earlier blocks entered is lost", .output = FORGOTTEN},
    {"only the last block is left in the result: sum and output are started anew in every block", .sum = FORGOTTEN,
     .output = FORGOTTEN},
    {"the new maximum is not kept: every block finds the old one at -INFINITY, the factor is 0 and only the last block "
     "is left", .base = BLOCK_MAX, .sum = TIMES_0, .output = TIMES_0},
    {"the sum is rescaled twice in every block", .sum = RESCALED_TWICE},
    {"the output is rescaled twice in every block", .output = RESCALED_TWICE},
    {"the division by the sum of the weights is missing", .divide = NEVER},
    {"each block was normalised by itself: the weights of a row add up to the number of blocks",
     .base = BLOCK_MAX, .divide = BLOCK_BY_ITSELF, .output = KEPT},
    {"each block was normalised by itself and the blocks were averaged: a block of small scores counts as much as "
     "any other", .base = BLOCK_MAX, .divide = AVERAGED, .output = KEPT},
    {"this is attention, and right; stage 3 asks for the bug: each block normalised by itself, the results added up",
     .divide = WHOLE_ROW},
    {"each block was divided by its own sum although the output is rescaled: the division waits until the end",
     .divide = BLOCK_BY_ITSELF},
    {"the output was divided in every block: what was entered before is divided again and again; divide once, at the "
     "end", .divide = EVERY_BLOCK},
    {"the output was divided in every block and once more at the end", .divide = EVERY_BLOCK_AND_AT_END},
    {"the output is divided by the sum of the last block alone: the sum must go on over all blocks",
     .divide = BY_LAST_BLOCK},
    {"the output is divided by the number of keys; it is divided by the sum of the weights", .divide = BY_COUNT},
    {"the missing columns of the last block were counted as keys with score 0: it has only m - j keys",
     .tail = PADDED},
    {"the tail of the last block is missing: keys beyond the last whole block were left out", .tail = DROPPED},
    {"the last block reaches back: some keys are counted twice; it is shorter, and starts where the one before ended",
     .tail = OVERLAPPED},
    {"keys and values come from different blocks: every block reads the values of the first; V + j belongs to K + j",
     .values = FIRST_BLOCK},
    {"keys and values come from different blocks: every block reads the keys of the first; K + j belongs to V + j",
     .keys = FIRST_BLOCK},
    {"keys and values come from different blocks: the values lag one block behind", .values = BLOCK_BEFORE},
    {"keys and values come from different blocks: the keys lag one block behind", .keys = BLOCK_BEFORE},
    {"K is read as d rows of m numbers; it has m rows of d: the score is the sum over k of Q[i][k] K[j][k]",
     .keys = TRANSPOSED},
    {"V is read as dv rows of m numbers; it has m rows of dv: use V[j][c]", .values = TRANSPOSED},
    {"the keys are taken in reverse order, the values are not", .keys = REVERSED},
    {"a weight that is NaN was dropped (a comparison or fmaxf swallowed it): NaN at a visible key must reach the "
     "output", .drops_nan = true},
    {"-inf minus -inf is NaN: when a row has seen only scores of -inf so far, subtract 0 and not the maximum",
     .bare = true},
    {"causal: the mask starts at the top left; with n and m different, row i sees key j when j <= i + m - n",
     .mask = TOP_LEFT},
    {"causal: off by one, row i sees one key too many: the last is j = i + m - n", .mask = ONE_MORE},
    {"causal: off by one, row i does not see its own key: j = i + m - n belongs to it", .mask = ONE_LESS},
    {"causal: nothing is masked", .mask = NO_MASK},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes, MOST = 128 };
enum { KERNEL = 5, TILE = 32 }; /* the stage of the kernel, and its keys in a tile */

static size_t keys_seen(const mistake *w, const problem *p, size_t i)
{
    if (!p->causal || w->mask == NO_MASK) return p->m;
    const size_t right = visible_keys(p, i);
    if (w->mask == TOP_LEFT) return i + 1 < p->m ? i + 1 : p->m;
    if (w->mask == ONE_MORE) return right < p->m ? right + 1 : p->m;
    return w->mask == ONE_LESS ? right - (right > 0) : right;
}

/* the key or value that pick reads in place of number j, whose block starts at first */
static size_t picked(enum pick pick, size_t j, size_t first, size_t block, size_t m)
{
    return pick == FIRST_BLOCK ? j - first : pick == BLOCK_BEFORE && first ? j - block
         : pick == REVERSED    ? m - 1 - j : j;
}

static float score(const mistake *w, const problem *p, tensors t, size_t i, size_t j)
{
    const double d = (double)p->d, dv = (double)p->dv, m = (double)p->m;
    const double factor[] = {p->scale, 1, 1 / d, 1 / sqrt(dv), 1 / sqrt(m), sqrt(d), p->scale * log(2)};
    float dot = 0;
    for (size_t k = 0; k < p->d; k++)
        dot += t.Q[i * p->d + k] * t.K[w->keys == TRANSPOSED ? k * p->m + j : j * p->d + k];
    return dot * (float)factor[w->scale];
}

static float carried(enum account account, float old, float rescale)
{
    return account == KEPT ? old : account == TURNED ? old / rescale : account == FORGOTTEN ? 0
         : account == TIMES_0 ? old * 0 : account == RESCALED_TWICE ? old * rescale * rescale : old * rescale;
}

/* what a row knows of the blocks so far */
typedef struct { float max, sum, block_sum, output[MOST]; } account;

/* enters keys first .. first + keys - 1 of row i, their scores in s; s may hold more: columns of padding */
static void enter(const mistake *w, const problem *p, tensors t, size_t first, size_t keys, size_t columns, float *s,
                  account *a)
{
    float new_max = w->base == BLOCK_MAX ? -INFINITY : a->max;
    for (size_t k = 0; k < columns; k++) new_max = w->base == LAST_SCORE ? s[k] : fmaxf(new_max, s[k]);
    if (w->base == FIRST_SCORE) new_max = s[0];
    const float safe = new_max == -INFINITY && !w->bare ? 0 : new_max;
    const float base = w->base == NO_MAX ? 0 : w->base == MAX_ADDED ? -safe : safe;
    const float rescale = w->base == NO_MAX ? 1 : expf(a->max - safe);
    a->max = new_max;
    a->sum = carried(w->sum, a->sum, rescale);
    a->block_sum = 0;
    for (size_t k = 0; k < columns; k++) {
        s[k] = expf(s[k] - base);
        if (w->drops_nan && isnan(s[k])) s[k] = 0;
        a->sum += s[k], a->block_sum += s[k];
    }
    const bool alone = w->divide == BLOCK_BY_ITSELF || w->divide == AVERAGED;
    for (size_t c = 0; c < p->dv; c++) {
        a->output[c] = carried(w->output, a->output[c], rescale);
        for (size_t k = 0; k < keys; k++) {
            const size_t v = picked(w->values, first + k, first, p->block, p->m);
            a->output[c] += (alone ? s[k] / a->block_sum : s[k]) *
                            t.V[w->values == TRANSPOSED ? c * p->m + v : v * p->dv + c];
        }
        if (w->divide == EVERY_BLOCK || w->divide == EVERY_BLOCK_AND_AT_END) a->output[c] /= a->sum;
    }
}

static void wrong_row(const mistake *w, const problem *p, tensors t, size_t i, double *O)
{
    const size_t seen = keys_seen(w, p, i), m = seen - (seen && w->tail == NO_LAST_KEY);
    account a = {.max = w->start != 0 ? (float)w->start : -INFINITY};
    float s[2 * MOST] = {0}, blocks = 0;
    for (size_t j = w->tail == NO_FIRST_KEY; j < m; j += p->block, blocks++) {
        size_t first = j, keys = m - j < p->block ? m - j : p->block;
        if (keys < p->block && w->tail == DROPPED) break;
        if (keys < p->block && w->tail == OVERLAPPED && m >= p->block) first = m - p->block, keys = p->block;
        const size_t columns = w->tail == PADDED ? p->block : keys;
        for (size_t k = 0; k < columns; k++)
            s[k] = k < keys ? score(w, p, t, i, picked(w->keys, first + k, first, p->block, p->m)) : 0;
        enter(w, p, t, first, keys, columns, s, &a);
    }
    const float by = w->divide == NEVER || w->divide == BLOCK_BY_ITSELF || w->divide == EVERY_BLOCK ? 1
                   : w->divide == BY_LAST_BLOCK ? a.block_sum
                   : w->divide == BY_COUNT      ? (float)m
                   : w->divide == AVERAGED      ? blocks : a.sum;
    for (size_t c = 0; c < p->dv; c++) O[c] = m ? a.output[c] / by : 0;
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

/* what v would give if it made that mistake */
static void wrong_attention(const mistake *w, const version *v, problem p, tensors t, double *O)
{
    mistake own = *w;
    if (!v->blocks && v->stage != KERNEL) p.block = p.m; /* the whole row at once */
    if (v->overflow < INFINITY && own.base == ROW_MAX) own.base = NO_MAX;
    if (v->wrong && w->divide == AT_END) { /* version 3 makes this mistake on purpose */
        own.base = BLOCK_MAX;
        own.divide = BLOCK_BY_ITSELF;
        if (w->output == RESCALED) own.output = KEPT;
    }
    if (w->columns) column_softmax(w, &p, t, O);
    else for (size_t i = 0; i < p.n; i++) wrong_row(&own, &p, t, i, O + i * p.dv);
}

/* An input: normal numbers, but for the first coordinate, which is 1 in every query and carries in the keys what is to
 * be added to the scores: shift + slope j, or special for key number at. */
typedef struct {
    size_t n, m, d, dv, block;
    float shift, slope, special, at;
    bool causal, turned; /* turned: the additions have the other sign in every second row */
    double allowed; /* relative to 1 + |result|; 0: 0.001 */
} probe;
/* (blocks are odd: attention_flash then works in tiles) */
enum { QUIET, WHOLE_BLOCKS, FALLING, RISING, ONE_BLOCK, FAR };
static const probe probes[] = {
    [QUIET] = {3, 7, 5, 2, .block = 3}, [WHOLE_BLOCKS] = {3, 9, 5, 2, .block = 3},
    [FALLING] = {3, 9, 5, 2, 3, .slope = -3}, [RISING] = {3, 9, 5, 2, 3, .slope = 3},
    [ONE_BLOCK] = {3, 7, 5, 2, .block = 7},
    /* from here on: for versions without a limit to their scores */
    [FAR] = {3, 7, 5, 2, 3, .shift = 200}, {3, 7, 5, 2, 3, .shift = -200},
    {3, 7, 5, 2, 3, .shift = 20000, .allowed = 0.05}, {3, 7, 5, 2, 3, .shift = -20000, .allowed = 0.05},
    {3, 7, 5, 2, 3, .shift = 200, .turned = true}, {3, 7, 5, 2, 3, .shift = 60},
    {3, 7, 5, 2, 3, .slope = -60}, {3, 7, 5, 2, 3, .slope = 60}, {3, 7, 5, 2, 7, .slope = -60},
    {3, 7, 5, 2, 3, .special = NAN, .at = 4}, {3, 7, 5, 2, 3, .special = NAN, .at = 6},
    {3, 7, 5, 2, 3, .special = -INFINITY, .at = 4}, {3, 7, 5, 2, 1, .special = -INFINITY, .at = 0},
    /* and for those that mask */
    {4, 7, 5, 2, 3, .causal = true}, {7, 4, 5, 2, 3, .causal = true}, {6, 6, 5, 2, 3, .causal = true},
};
enum { PROBES = sizeof probes / sizeof *probes, OUTPUTS = 48, UNWRITTEN = 12345 };

/* The kernel's tiles have 32 keys, and a thread has columns beyond the first 16 only if there are so many. */
static probe for_version(const version *v, probe x)
{
    if (v->stage != KERNEL) return x;
    x.block = TILE;
    x.m *= 11, x.slope /= 11, x.at *= 11, x.d *= 8;
    return x;
}

static problem set_up(const probe *x, tensors *t)
{
    uint64_t state = 1;
    problem p = simple_problem(x->n, x->m, x->d, x->dv, x->block);
    p.causal = x->causal;
    *t = normal_tensors(&p, &state);
    for (size_t i = 0; i < p.n; i++) t->Q[i * p.d] = x->turned && i % 2 ? -1 : 1;
    for (size_t j = 0; j < p.m; j++) {
        const float added = x->special != 0 && (size_t)x->at == j ? x->special : x->shift + x->slope * (float)j;
        t->K[j * p.d] = added * sqrtf((float)p.d);
    }
    return p;
}

/* the results that v should give */
static void right_results(const version *v, const problem *p, tensors t, double *O)
{
    if (v->wrong) blockwise_reference(p, t.Q, t.K, t.V, O);
    else reference(p, t.Q, t.K, t.V, O, NULL);
}

static bool close(double a, double b, double allowed)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed * (1 + fabs(b));
}
static bool same(const probe *x, const double *a, const double *b)
{
    for (size_t i = 0; i < x->n * x->dv; i++)
        if (!close(a[i], b[i], x->allowed > 0 ? x->allowed : 1e-3)) return false;
    return true;
}

/* the probes that v is asked */
static bool asked(const version *v, const probe *x)
{
    return x->causal ? v->options : x - probes < FAR || v->overflow == INFINITY;
}

typedef struct { double found[OUTPUTS], right[OUTPUTS]; bool is_right; } answer;

/* A row that sees no key, or by mistake sees none, may be 0 or 0 / 0 whatever the mistake is. */
static void forgive_empty_rows(const mistake *w, const problem *p, const double *found, double *O)
{
    for (size_t k = 0; k < outputs(p); k++)
        if ((!visible_keys(p, k / p->dv) || !keys_seen(w, p, k / p->dv)) && (isnan(found[k]) || found[k] == 0))
            O[k] = found[k];
}

static const char *mistake_that_fits(const version *v, const answer answers[])
{
    for (size_t i = 0; i < MISTAKES; i++) {
        bool fits = true, visible = false;
        for (size_t k = 0; k < PROBES && fits; k++) {
            double O[OUTPUTS];
            tensors t;
            if (!asked(v, &probes[k])) continue;
            const probe x = for_version(v, probes[k]);
            const problem p = set_up(&x, &t);
            wrong_attention(&mistakes[i], v, p, t, O);
            forgive_empty_rows(&mistakes[i], &p, answers[k].found, O);
            fits = same(&probes[k], answers[k].found, O);
            visible |= !same(&probes[k], O, answers[k].right);
            free_tensors(t);
        }
        if (fits && visible) return mistakes[i].hint;
    }
    return NULL;
}

static char sentence[512];
#define SAY(...) (snprintf(sentence, sizeof sentence, __VA_ARGS__), sentence)

/* v on an input, into found and right; false if the two differ */
static bool ask(const version *v, const probe *x, answer *a)
{
    tensors t;
    const problem p = set_up(x, &t);
    for (size_t i = 0; i < OUTPUTS; i++) a->found[i] = UNWRITTEN;
    right_results(v, &p, t, a->right);
    run_version(v, &p, t, a->found, "a probe");
    free_tensors(t);
    return a->is_right = same(x, a->found, a->right);
}
static bool right_on(const version *v, probe x)
{
    answer a;
    return ask(v, &x, &a);
}

/* Which part of the outputs is wrong, if it is not all of them? */
static const char *wrong_part(const probe *x, const answer *a)
{
    size_t wrong = 0, row = x->n, column = x->dv, last_row = 0, last_column = 0, unwritten = 0, added = 0;
    for (size_t i = 0; i < x->n * x->dv; i++) {
        if (close(a->found[i], a->right[i], 1e-3)) continue;
        const size_t r = i / x->dv, c = i % x->dv;
        unwritten += a->found[i] == UNWRITTEN;
        added += close(a->found[i] - UNWRITTEN, a->right[i], 1e-2);
        wrong++;
        row = r < row ? r : row, column = c < column ? c : column;
        last_row = r, last_column = c > last_column ? c : last_column;
    }
    if (unwritten)
        return SAY("%zu of %zu outputs were never written, the first in row %zu", unwritten, x->n * x->dv, row);
    if (added && added == wrong) return "O is added to before it is set to 0: what stood there before is still in it";
    const size_t rows = last_row + 1 - row, columns = last_column + 1 - column;
    if (wrong != rows * columns || wrong == x->n * x->dv) return NULL;
    if (columns == x->dv && row == 1 && last_row + 1 == x->n)
        return "the first row is right, all others are wrong: is what belongs to a row started anew for every row?";
    if (columns == x->dv && last_row + 1 == x->n)
        return SAY("only the last %zu of %zu rows are wrong: where does the loop over queries end?", rows, x->n);
    if (columns == x->dv)
        return SAY("only rows %zu to %zu of %zu are wrong: where does the loop start?", row, last_row, x->n);
    if (rows == x->n && last_column + 1 == x->dv)
        return SAY("only the last %zu of %zu columns are wrong: where does the loop over columns end?", columns, x->dv);
    return NULL;
}

/* What do the weights of a row add up to? V of ones tells. */
static const char *wrong_weights(const version *v)
{
    double O[OUTPUTS], right[OUTPUTS];
    tensors t;
    const probe x = for_version(v, probes[WHOLE_BLOCKS]);
    const problem p = set_up(&x, &t);
    for (size_t i = 0; i < p.m * p.dv; i++) t.V[i] = 1;
    right_results(v, &p, t, right);
    run_version(v, &p, t, O, "values of one");
    free_tensors(t);
    if (close(O[0], right[0], 1e-3)) return NULL;
    return SAY("the weights of a row add up to %.4g where it should be %.4g: look at the sum and at the division",
               O[0], right[0]);
}

/* Are blocks the trouble? */
static const char *wrong_blocks(const version *v, const answer answers[])
{
    if (!v->blocks || !answers[ONE_BLOCK].is_right) return NULL;
    if (answers[WHOLE_BLOCKS].is_right && !answers[QUIET].is_right)
        return "right while the blocks divide m: the last, shorter block is mishandled";
    if (answers[FALLING].is_right && !answers[RISING].is_right)
        return "right until the maximum rises: what was entered before must be rescaled by "
               "exp(old maximum - new maximum)";
    if (answers[QUIET].is_right) return NULL;
    return "right with one block, wrong with two: what is carried from block to block?";
}

static bool right_for(const version *v, size_t n, size_t m, size_t d, size_t dv)
{
    return right_on(v, (probe){.n = n, .m = m, .d = d, .dv = dv, .block = m});
}

/* Which sizes are mixed up, or which half of the work is at fault? */
static const char *wrong_sizes(const version *v)
{
    if (right_for(v, 5, 5, 5, 5)) {
        if (!right_for(v, 5, 5, 7, 5))
            return "right while all sizes are equal, wrong when d differs: is d taken for another size?";
        if (!right_for(v, 5, 5, 5, 7))
            return "right while all sizes are equal, wrong when dv differs: is dv taken for another size?";
        if (right_for(v, 5, 3, 5, 5))
            return "right on small inputs, wrong on larger ones: does every loop go through the whole of d, m and dv?";
        return "right while n = m, wrong when they differ: are n and m mixed up?";
    }
    if (!right_for(v, 5, 1, 5, 5))
        return "wrong with a single key, where the result is its value: look at the weighted sum and the division";
    if (right_for(v, 5, 5, 1, 5)) /* the only coordinate is the same in all keys */
        return "right when all scores of a row are equal: look at how the scores are computed and at exp";
    return "wrong even when all scores of a row are equal: look at the weighted sum and at the division";
}

/* Right on quiet inputs, wrong on some other */
static const char *wrong_far(const version *v, const answer answers[])
{
    for (size_t k = FAR; k < PROBES; k++) {
        if (!asked(v, &probes[k]) || answers[k].is_right) continue;
        const probe *x = &probes[k];
        const bool nan = isnan(answers[k].found[0]);
        if (x->causal)
            return SAY("right without the mask, wrong with it (n = %zu, m = %zu): row i sees key j when "
                       "j <= i + m - n", x->n, x->m);
        if (x->turned)
            return "right when all rows have similar scores, wrong when they differ: is the maximum started anew for "
                   "every row?";
        if (isnan(x->special))
            return "a NaN at a visible key does not reach the output: some comparison swallows it";
        if (x->special != 0)
            return "wrong when a score is -inf: its weight is 0, and -inf minus -inf must not be formed";
        if (nan)
            return SAY("NaN on scores near %g: was the row's maximum subtracted, and does it start at -INFINITY?",
                       x->shift);
        return SAY("right on quiet scores, wrong near %g: is the maximum the largest score, from -INFINITY on?",
                   x->shift);
    }
    return NULL;
}

/* Right on all probes: perhaps not to the last digits */
static const char *wrong_digits(const version *v)
{
    for (size_t m = 1; m <= 9; m += 8) {
        uint64_t state = 2;
        const problem p = simple_problem(4, m, 6, 4, m);
        const tensors t = normal_tensors(&p, &state);
        double O[OUTPUTS], right[OUTPUTS];
        right_results(v, &p, t, right);
        run_version(v, &p, t, O, "digits");
        const double deviation = largest_deviation(outputs(&p), O, right, NULL);
        const double allowed = tolerance(&p, v->unit, t.Q, t.K, t.V, right);
        free_tensors(t);
        if (deviation <= allowed) continue;
        return SAY("right to %.0f digits, not to the last: %s", -log10(deviation),
                   v->unit < 0x1p-30 ? "are all sums and weights float64 (double)?"
                                     : "is every score rounded once, exp exact, and no epsilon added?");
    }
    return NULL;
}

/* Right with one head: perhaps not with several that share keys */
static const char *wrong_heads(const version *v)
{
    uint64_t state = 3;
    problem p = simple_problem(2, 3, 4, 2, 3);
    p.heads = 4, p.kv_heads = 2;
    const tensors t = normal_tensors(&p, &state);
    double O[OUTPUTS], right[OUTPUTS];
    reference(&p, t.Q, t.K, t.V, right, NULL);
    run_version(v, &p, t, O, "heads");
    free_tensors(t);
    if (largest_deviation(outputs(&p), O, right, NULL) <= 1e-3) return NULL;
    return "right with one head, wrong with 4 heads on 2 of keys: head h reads key head h / (heads / kv_heads)";
}

/* A kernel that never ran leaves memory that nobody wrote: NaN, even for one query and one key */
static const char *never_ran(const version *v)
{
    double O[OUTPUTS];
    const problem p = simple_problem(1, 1, 1, 1, 1);
    const tensors t = zero_tensors(&p);
    run_version(v, &p, t, O, "one query and one key");
    free_tensors(t);
    if (v->stage != 5 || !isnan(O[0])) return NULL;
    return "NaN even for one query and one key: was the kernel launched, and who reads the launch's error? "
           "If it ran: is the rescale factor exp(old maximum - new maximum)?";
}

const char *likely_mistake(const version *v)
{
    static answer answers[PROBES];
    bool right = true;
    for (size_t k = 0; k < PROBES; k++) {
        const probe x = for_version(v, probes[k]);
        if (asked(v, &probes[k])) right &= ask(v, &x, &answers[k]);
    }
    if (right && v->options && wrong_heads(v)) return wrong_heads(v);
    if (right) return wrong_digits(v);
    const char *hint = never_ran(v);
    if (!hint) hint = mistake_that_fits(v, answers);
    if (!hint && !answers[QUIET].is_right) hint = wrong_part(&probes[QUIET], &answers[QUIET]);
    if (!hint) hint = wrong_blocks(v, answers);
    if (!hint && answers[QUIET].is_right) hint = wrong_far(v, answers);
    if (!hint) hint = wrong_weights(v);
    return hint ? hint : wrong_sizes(v);
}
