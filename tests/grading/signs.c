/* What a version's results tell about its mistake. A version whose results on all probes are those of a mistake makes
 * that mistake. Where none fits, signs are read: what do the weights add up to, which inputs are right, which rows and
 * columns. All answers are keys of sentences.en, with their arguments. */
#include "mistakes.h"
#include "../suites/reference.h"
#include "probes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char coded[CODED];

/* A row that sees no key, or by mistake sees none, may be 0 or 0 / 0 whatever the mistake is. */
static void forgive_empty_rows(size_t mistake, const problem *p, const double *found, double *O)
{
    for (size_t k = 0; k < outputs(p); k++)
        if (sees_none(mistake, p, k / p->dv) && (isnan(found[k]) || found[k] == 0)) O[k] = found[k];
}

/* what a mistake's results are good for: they are not what is right; and some are numbers (NaN fits too much) */
typedef struct { bool visible, finite; } evidence;

/* Is the answer to probe x what that mistake gives? */
static bool fits(size_t mistake, const version *v, probe x, const answer *a, evidence *e)
{
    double O[OUTPUTS];
    tensors t;
    const problem p = set_up(&x, &t);
    wrong_attention(mistake, v, p, t, O);
    forgive_empty_rows(mistake, &p, a->found, O);
    free_tensors(t);
    e->visible |= !same(&x, O, a->right);
    for (size_t k = 0; k < outputs(&p); k++) e->finite |= isfinite(O[k]) && !sees_none(mistake, &p, k / p.dv);
    return same(&x, a->found, O);
}

/* causal: on the probes with a mask, too; a mistake may show there in a way of its own */
static const char *mistake_that_fits(const version *v, const answer answers[], bool causal)
{
    for (size_t i = 0; i < mistake_count; i++) {
        bool all = !only_square(i) && (v->blocks || v->stage == KERNEL || !speaks_of_blocks(i));
        evidence e = {0};
        for (size_t k = 0; k < PROBES && all; k++)
            if (asked(v, &probes[k]) && (causal || !probes[k].causal))
                all = fits(i, v, for_version(v, probes[k]), &answers[k], &e);
        if (all && e.visible && e.finite) /* what is right but for empty rows is the bug's mistake alone */
            return strcmp(mistake_key(i), "cause.right_but_bug") || v->wrong ? mistake_key(i) : "cause.empty_row";
    }
    return NULL;
}

/* ---- which outputs are wrong? ---- */
typedef struct { size_t wrong, row, column, last_row, last_column, unwritten, added; } place;

static place wrong_place(const probe *x, const answer *a)
{
    place at = {.row = x->n, .column = x->dv};
    for (size_t i = 0; i < x->n * x->dv; i++) {
        if (alike(a->found[i], a->right[i], 1e-3)) continue;
        const size_t r = i / x->dv, c = i % x->dv;
        at.unwritten += a->found[i] == UNWRITTEN;
        at.added += alike(a->found[i] - UNWRITTEN, a->right[i], 1e-2);
        at.wrong++;
        at.row = r < at.row ? r : at.row, at.column = c < at.column ? c : at.column;
        at.last_row = r, at.last_column = c > at.last_column ? c : at.last_column;
    }
    return at;
}

/* Which part of the outputs is wrong, if it is not all of them? */
static const char *wrong_part(const version *v, const probe *x, const answer *a)
{
    const place at = wrong_place(x, a);
    if (at.unwritten)
        return SAY("cause.unwritten|%zu|%zu|%zu", at.unwritten, x->n * x->dv, at.row);
    if (at.added && at.added == at.wrong) return "cause.not_cleared";
    const size_t rows = at.last_row + 1 - at.row, columns = at.last_column + 1 - at.column;
    if (at.wrong != rows * columns || at.wrong == x->n * x->dv) return NULL;
    if (columns == x->dv && at.row == 1 && at.last_row + 1 == x->n) return "cause.rows_after_first";
    if (columns == x->dv && at.last_row + 1 == x->n) return SAY("cause.last_rows|%zu|%zu", rows, x->n);
    if (columns == x->dv && v->stage == 2 && at.last_row == 0) return "cause.first_row_softmax";
    if (columns == x->dv && at.row == 0) return SAY("cause.first_rows|%zu|%zu", rows, x->n);
    if (rows != x->n) return NULL;
    if (at.column == 1 && at.last_column + 1 == x->dv) return "cause.columns_after_first";
    if (at.last_column + 1 == x->dv) return SAY("cause.last_columns|%zu|%zu", columns, x->dv);
    return at.column == 0 ? SAY("cause.first_columns|%zu|%zu", columns, x->dv) : NULL;
}

/* ---- which sizes are mixed up? ---- */
/* Each of these stays in its arrays although one size is taken for another; and all sizes equal. */
static const probe shapes[SHAPES] = {
    {6, 3, 4, 4, 3, .slope = 0.4F}, {3, 7, 4, 4, 3, .slope = 0.4F}, {4, 4, 7, 2, 3, .slope = 0.4F},
    {4, 4, 3, 6, 3, .slope = 0.4F}, {5, 5, 5, 5, 5, .slope = 0.4F},
};

/* the mistake that gives these results, if it is one of those that are told by this shape */
static const char *fitting_here(const version *v, probe x, const answer *a, bool square)
{
    static const char *const told[] = {"cause.j_to_n", "cause.half_d", "cause.k_to_dv", "cause.sum_of_column"};
    for (size_t i = 0; i < mistake_count; i++) {
        bool one_of = square && only_square(i);
        evidence e = {0};
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) one_of |= !square && !strcmp(mistake_key(i), told[k]);
        if (one_of && fits(i, v, x, a, &e) && e.visible && e.finite) return mistake_key(i);
    }
    return NULL;
}

const char *mixed_up_sizes(const version *v, size_t shape)
{
    if (v->stage == KERNEL) return NULL; /* its arrays are as large as its tiles */
    const probe x = shapes[shape];
    answer a;
    if (ask(v, &x, &a)) return NULL;
    const place at = wrong_place(&x, &a);
    const bool rows_of_m = at.row == x.m && at.last_row + 1 == x.n && at.wrong == (x.n - x.m) * x.dv;
    const bool columns_of_d = at.column == x.d && at.last_column + 1 == x.dv && at.wrong == x.n * (x.dv - x.d);
    if (x.n > x.m && rows_of_m) return "cause.i_to_m";
    if (x.dv > x.d && columns_of_d) return "cause.c_to_d";
    return fitting_here(v, x, &a, x.n == x.m && x.d == x.dv);
}

static bool right_for(const version *v, size_t n, size_t m, size_t d, size_t dv)
{
    return right_on(v, (probe){.n = n, .m = m, .d = d, .dv = dv, .block = m});
}

/* where a stage's own lines are: a hint speaks of no others */
static const char *own_lines(const version *v, const char *otherwise)
{
    return v->stage == 2 ? "@place.softmax" : v->stage == 3 ? "@place.blocks"
         : v->stage == 4 && !v->options ? "@place.account" : otherwise;
}

/* Which sizes are mixed up, or which half of the work is at fault? */
static const char *wrong_sizes(const version *v)
{
    if (right_for(v, 5, 5, 5, 5)) {
        if (!right_for(v, 5, 5, 7, 5)) return "cause.d_mixed";
        if (!right_for(v, 5, 5, 5, 7)) return "cause.dv_mixed";
        if (v->stage == KERNEL && !(right_for(v, 5, 5, 16, 5) && right_for(v, 5, 5, 5, 16)))
            return "cause.quarters_beyond";
        return right_for(v, 5, 3, 5, 5) ? "cause.larger" : "cause.n_m_mixed";
    }
    if (!right_for(v, 5, 1, 5, 5)) return SAY("cause.single_key|%s", own_lines(v, "@place.sum"));
    if (right_for(v, 5, 5, 1, 5)) { /* the only coordinate is the same in all keys */
        if (v->stage == KERNEL) return "cause.quarters";
        return SAY("cause.scores|%s", own_lines(v, "@place.scores"));
    }
    return SAY("cause.equal_scores|%s", own_lines(v, "@place.sum"));
}

/* ---- weights, blocks, far scores ---- */
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
    if (!isfinite(O[0]))
        return v->overflow < INFINITY ? NULL : v->blocks ? "cause.never_a_number" : "cause.weights_not_finite";
    if (alike(O[0], right[0], 1e-3)) return NULL;
    return SAY("cause.weights_sum|%.4g|%.4g", O[0], right[0]);
}

/* Are blocks the trouble? */
static const char *wrong_blocks(const version *v, const answer answers[])
{
    if (!v->blocks || !answers[ONE_BLOCK].is_right) return NULL;
    if (answers[WHOLE_BLOCKS].is_right && !answers[QUIET].is_right) return "cause.short_block";
    if (answers[FALLING].is_right && !answers[RISING].is_right) return "cause.rising";
    return answers[QUIET].is_right ? NULL : "cause.blocks";
}

/* right on quiet inputs, wrong on some other */
static const char *wrong_far(const version *v, const answer answers[])
{
    for (size_t k = FAR; k < PROBES; k++) {
        if (!asked(v, &probes[k]) || answers[k].is_right) continue;
        const probe *x = &probes[k];
        if (x->causal) return SAY("cause.mask|%zu|%zu", x->n, x->m);
        if (x->turned) return "cause.max_per_row";
        if (isnan(x->special)) return "cause.nan_swallowed";
        if (x->special != 0) return "cause.minus_infinity";
        if (x->shift == 0) return v->blocks || v->stage == KERNEL ? "cause.rising" : "cause.spread";
        return SAY(isnan(answers[k].found[0]) ? "cause.far_not_a_number|%g" : "cause.far|%g", x->shift);
    }
    return NULL;
}

/* ---- tiles ---- */
/* perhaps not in large tiles: the first row that is wrong of n queries, or n */
static size_t first_wrong_row(const version *v, size_t n, size_t m, size_t d, size_t block, bool causal)
{
    uint64_t state = 4;
    problem p = simple_problem(n, m, d, 2, block);
    p.causal = causal;
    const tensors t = normal_tensors(&p, &state);
    double *O = need(outputs(&p), sizeof *O), *right = need(outputs(&p), sizeof *right);
    size_t row = 0;
    right_results(v, &p, t, right);
    run_version(v, &p, t, O, "large tiles");
    while (row < n && alike(O[row * 2], right[row * 2], 1e-3) && alike(O[row * 2 + 1], right[row * 2 + 1], 1e-3)) row++;
    free(O), free(right), free_tensors(t);
    return row;
}

static const char *wrong_tiles(const version *v)
{
    enum { QUERIES = 100, KEYS = 100, FULL_D = 128, WIDE_D = 200 };
    const size_t plain = first_wrong_row(v, QUERIES, KEYS, 6, 4, false);
    if (v->stage == KERNEL && plain == QUERIES && first_wrong_row(v, 3, KEYS, FULL_D, 4, false) == 3 &&
        first_wrong_row(v, 3, KEYS, WIDE_D, 4, false) < 3)
        return "cause.tile_of_256";
    if (plain > 0 && plain < QUERIES) return SAY("cause.one_group|%zu", plain);
    const size_t causal = first_wrong_row(v, QUERIES, KEYS, 6, 4, true);
    return causal > 0 && causal < QUERIES && v->stage != KERNEL ? "cause.tile_offset" : NULL;
}

/* perhaps not with more than one tile of queries (attention_tiled, whose tiles have no lanes) */
static const char *wrong_next_tile(const version *v)
{
    probe x = probes[QUIET];
    x.n = x.block / 2 + 1;
    return v->causal && !v->options && right_on(v, x) ? "cause.next_tile" : NULL;
}

/* A kernel that never ran leaves memory that nobody wrote: NaN, even for one query and one key */
static const char *never_ran(const version *v)
{
    double O[OUTPUTS];
    const problem p = simple_problem(1, 1, 1, 1, 1);
    const tensors t = zero_tensors(&p);
    run_version(v, &p, t, O, "one query and one key");
    free_tensors(t);
    return v->stage == KERNEL && isnan(O[0]) ? "cause.never_ran" : NULL;
}

const char *likely_mistake(const version *v)
{
    static answer answers[PROBES];
    bool right = true;
    for (size_t k = 0; k < PROBES; k++) {
        const probe x = for_version(v, probes[k]);
        if (asked(v, &probes[k])) right &= ask(v, &x, &answers[k]);
    }
    const char *hint = right ? NULL : never_ran(v);
    if (!hint && !right) hint = mistake_that_fits(v, answers, true);
    if (!hint && !answers[QUIET].is_right && v->causal) hint = mistake_that_fits(v, answers, false);
    if (!hint && !answers[QUIET].is_right) hint = wrong_next_tile(v);
    if (!hint && !answers[QUIET].is_right) {
        const probe x = for_version(v, probes[QUIET]);
        hint = wrong_part(v, &x, &answers[QUIET]);
    }
    if (!hint && v->options) hint = wrong_tiles(v);
    if (!hint && !right) hint = wrong_blocks(v, answers);
    if (!hint && !right && answers[QUIET].is_right) hint = wrong_far(v, answers);
    if (!hint && !right) hint = wrong_weights(v);
    return hint ? hint : right ? mistake_beyond_probes(v) : wrong_sizes(v);
}
