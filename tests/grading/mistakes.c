/* Typical mistakes: attention with one idea missing gives results of its own, and they can be computed. The table says
 * what each mistake does differently, and wrong_attention does it. */
#include "probes.h"
#include <math.h>

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
const size_t mistake_count = sizeof mistakes / sizeof *mistakes;
enum { MOST = 128 };

const char *mistake_hint(size_t which) { return mistakes[which].hint; }

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
    else for (size_t i = 0; i < p.n; i++) wrong_row(&own, &p, t, i, O + i * p.dv);
}
