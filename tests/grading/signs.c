/* What a version's results tell about its mistake. A version whose results on all probes are those of a mistake makes
 * that mistake. Where none fits, signs are read: what do the weights add up to, which inputs are right, which rows and
 * columns. */
#include "mistakes.h"
#include "../suites/reference.h"
#include "probes.h"
#include <math.h>
#include <stdio.h>

/* A row that sees no key, or by mistake sees none, may be 0 or 0 / 0 whatever the mistake is. */
static void forgive_empty_rows(size_t mistake, const problem *p, const double *found, double *O)
{
    for (size_t k = 0; k < outputs(p); k++)
        if (sees_none(mistake, p, k / p->dv) && (isnan(found[k]) || found[k] == 0)) O[k] = found[k];
}

static const char *mistake_that_fits(const version *v, const answer answers[])
{
    for (size_t i = 0; i < mistake_count; i++) {
        bool fits = true, visible = false;
        for (size_t k = 0; k < PROBES && fits; k++) {
            double O[OUTPUTS];
            tensors t;
            if (!asked(v, &probes[k])) continue;
            const probe x = for_version(v, probes[k]);
            const problem p = set_up(&x, &t);
            wrong_attention(i, v, p, t, O);
            forgive_empty_rows(i, &p, answers[k].found, O);
            fits = same(&probes[k], answers[k].found, O);
            visible |= !same(&probes[k], O, answers[k].right);
            free_tensors(t);
        }
        if (fits && visible) return mistake_hint(i);
    }
    return NULL;
}

static char sentence[512];
#define SAY(...) (snprintf(sentence, sizeof sentence, __VA_ARGS__), sentence)

/* Which part of the outputs is wrong, if it is not all of them? */
static const char *wrong_part(const probe *x, const answer *a)
{
    size_t wrong = 0, row = x->n, column = x->dv, last_row = 0, last_column = 0, unwritten = 0, added = 0;
    for (size_t i = 0; i < x->n * x->dv; i++) {
        if (alike(a->found[i], a->right[i], 1e-3)) continue;
        const size_t r = i / x->dv, c = i % x->dv;
        unwritten += a->found[i] == UNWRITTEN;
        added += alike(a->found[i] - UNWRITTEN, a->right[i], 1e-2);
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
    if (alike(O[0], right[0], 1e-3)) return NULL;
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
