/* The traces of attention_tiled and attention_flash: every step of every tile, recomputed in float64. */
#include "../../04_online_softmax/common.h"
#include "../../04_online_softmax/tiled.h"
#include "expect.h"
#include "reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const problem *p;
    tensors t;
    flash_problem f;
    size_t steps, skipped;
    double allowed; /* for the first accumulator entry, in proportion to the sum */
} walk;

/* one row of one step, recomputed in float64 from the keys met so far */
static void expect_row(const walk *w, const flash_step *s, size_t row)
{
    const problem *p = w->p;
    const size_t r = row - s->i0, sees = visible_keys(p, row);
    double S[512], max = -INFINITY, before = -INFINITY, sum = 0, first = 0;
    ck_assert_uint_le(s->j1, sizeof S / sizeof *S);
    for (size_t j = 0; j < s->j1 && j < sees; j++) {
        S[j] = 0;
        for (size_t c = 0; c < p->d; c++)
            S[j] += (double)w->t.Q[(s->head * p->n + row) * p->d + c] * w->t.K[(s->head * p->m + j) * p->d + c];
        S[j] *= p->scale;
        if (j < s->j0) before = fmax(before, S[j]);
        max = fmax(max, S[j]);
    }
    for (size_t j = 0; j < s->j1 && j < sees; j++) {
        sum += exp(S[j] - max);
        first += exp(S[j] - max) * w->t.V[(s->head * p->m + j) * p->dv];
    }
    const double rescale = s->skipped || max == -INFINITY ? s->rescale[r] : exp(before - max);
    ck_assert_msg(s->maximum[r] == max || fabs(s->maximum[r] - max) <= 1e-5 * (1 + fabs(max)), "row %zu: maximum", row);
    ck_assert_msg(fabs(s->sum[r] - sum) <= 1e-5 * (1 + sum), "row %zu: sum %g, expected %g", row, s->sum[r], sum);
    ck_assert_msg(fabs(s->first[r] - first) <= 1e-5 * (1 + sum), "row %zu: first %g, %g", row, s->first[r], first);
    ck_assert_msg(fabs(s->rescale[r] - rescale) <= 1e-5, "row %zu: rescale %g, %g", row, s->rescale[r], rescale);
    if (s->skipped) ck_assert(s->rescale[r] == 1);
}

/* the steps come tile by tile, block by block, none left out */
static void expect_step(void *context, const flash_step *s)
{
    walk *w = context;
    const size_t blocks = (w->p->m + w->f.bc - 1) / w->f.bc, wide = s->i1 - s->i0;
    ck_assert_uint_eq(s->step, w->steps++);
    ck_assert_uint_eq(s->j0, s->step % blocks * w->f.bc);
    ck_assert_uint_eq(s->j1, least(s->j0 + w->f.bc, w->p->m));
    ck_assert(wide >= 1 && wide <= up(w->f.br, 16) && s->i1 <= w->p->n);
    ck_assert_int_eq(s->skipped, s->j0 >= visible_keys(w->p, s->i1 - 1));
    for (size_t row = s->i0; row < s->i1; row++) expect_row(w, s, row);
    w->skipped += s->skipped;
}

START_TEST(each_line_of_the_trace_is_right)
{
    uint64_t state = seed() + 104;
    size_t skipped = 0;
    for (int draw = 0; draw < 40; draw++) {
        problem p = simple_problem(between(&state, 1, 70), between(&state, 1, 200), 6, 3, 0);
        p.heads = p.kv_heads = 2, p.scale = (float)p.scale, p.causal = draw % 4;
        walk w = {.p = &p, .t = normal_tensors(&p, &state), .f = flash_of(&p)};
        float *O = need(outputs(&p), sizeof *O), *quiet = need(outputs(&p), sizeof *quiet);
        w.f.br = between(&state, 1, 40), w.f.bc = between(&state, 1, 60);
        ck_assert_int_eq(attention_flash(&w.f, w.t.Q, w.t.K, w.t.V, quiet, NULL), 0);
        w.f.trace = expect_step, w.f.context = &w, w.f.threads = 3;
        ck_assert_int_eq(attention_flash(&w.f, w.t.Q, w.t.K, w.t.V, O, NULL), 0);
        ck_assert(w.steps > 0 && w.steps % ((p.m + w.f.bc - 1) / w.f.bc * p.heads) == 0);
        ck_assert_msg(!memcmp(O, quiet, outputs(&p) * sizeof *O), "a trace changes the result");
        skipped += w.skipped;
        free(O), free(quiet), free_tensors(w.t);
    }
    ck_assert_uint_gt(skipped, 0);
}
END_TEST

START_TEST(each_line_of_the_plain_trace_is_right)
{
    uint64_t state = seed() + 105;
    size_t skipped = 0;
    for (int draw = 0; draw < 40; draw++) {
        problem p = simple_problem(between(&state, 1, 70), between(&state, 1, 200), 6, 3, 0);
        p.causal = draw % 4;
        walk w = {.p = &p, .t = normal_tensors(&p, &state), .f = flash_of(&p)};
        float *O = need(outputs(&p), sizeof *O);
        w.f.br = between(&state, 1, 40), w.f.bc = between(&state, 1, 60);
        ck_assert_int_eq(attention_tiled_traced(p.n, p.m, p.d, p.dv, w.f.br, w.f.bc, p.causal, (void *)w.t.Q,
                                                (void *)w.t.K, (void *)w.t.V, (void *)O, expect_step, &w), 0);
        ck_assert_uint_eq(w.steps, ((p.n - 1) / w.f.br + 1) * ((p.m - 1) / w.f.bc + 1));
        skipped += w.skipped;
        free(O), free_tensors(w.t);
    }
    ck_assert_uint_gt(skipped, 0);
}
END_TEST

/* the file that stage 4's program writes: 160 lines of the head's twelve fields, and row 0 ends as it is printed */
START_TEST(the_program_writes_its_trace)
{
    char text[1 << 14], line[256];
    ck_assert_msg(command("build/stage-4 --trace build/trace.csv", text, sizeof text) == 0, "%s", text);
    ck_assert_msg(strstr(text, "skipped: query 15 sees keys up to 23") != NULL, "%s", text);
    FILE *f = fopen("build/trace.csv", "r");
    ck_assert(f && fgets(line, sizeof line, f));
    ck_assert_str_eq(line, "step,head,row,i0,i1,j0,j1,skipped,maximum,sum,rescale,first\n");
    size_t lines = 0, x[7];
    for (; fgets(line, sizeof line, f); lines++) {
        int skipped, length = 0;
        float maximum, sum, rescale, first;
        sscanf(line, "%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%f,%f,%f,%f\n%n", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5],
               &x[6], &skipped, &maximum, &sum, &rescale, &first, &length);
        ck_assert_msg(length > 0 && !line[length], "%s", line);
        if (x[0] == 2 && x[2] == 0) /* the last step of row 0 that is not skipped */
            ck_assert_msg(x[5] == 16 && x[6] == 24 && !skipped && maximum == 3 && fabsf(sum - 3.4739f) < 5e-5f &&
                          rescale == 1 && fabsf(first - 97.8073f) < 5e-5f, "%s", line);
    }
    fclose(f);
    ck_assert_uint_eq(lines, 160);
    ck_assert_int_eq(command("build/stage-4 --trace /nowhere/x.csv >build/trace.log", text, sizeof text), 2);
    ck_assert_str_eq(text, "/nowhere/x.csv.part: No such file or directory\n");
    ck_assert_int_eq(command("build/stage-4 --trace", text, sizeof text), 2);
    ck_assert_str_eq(text, "usage: build/stage-4 [--trace FILE.csv]\n");
}
END_TEST

Suite *trace_suite(void)
{
    Suite *s = suite_create("trace");
    TEST_CASE(s, trace, 60);
    tcase_add_test(trace, each_line_of_the_trace_is_right);
    tcase_add_test(trace, each_line_of_the_plain_trace_is_right);
    tcase_add_test(trace, the_program_writes_its_trace);
    return s;
}
