/* attention_flash beyond what every version is asked: heads, tiles, threads, the log-sum-exp, the trace, the merge of
 * accounts, exp, and its errors. The policy and case suites ask it the rest. */
#include "../../04_online_softmax/common.h"
#define UNCOUNTED
#include "counted.h"
#include "expect.h"
#include "../grading/mistakes.h"
#include "reference.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static flash_problem flash_of(const problem *p)
{
    return (flash_problem){.batch = p->batch, .heads = p->heads, .kv_heads = p->kv_heads, .n = p->n, .m = p->m,
                           .d = p->d, .dv = p->dv, .scale = (float)p->scale, .causal = p->causal};
}

static size_t rows_of(const problem *p) { return p->batch * p->heads * p->n; }

/* mostly small sizes, some large */
static size_t size_upto(uint64_t *state, size_t most)
{
    const double u = uniform(state);
    return 1 + (size_t)(u * u * (double)most);
}

static problem random_problem(uint64_t *state)
{
    problem p = simple_problem(size_upto(state, 150), size_upto(state, 400), size_upto(state, 140),
                               size_upto(state, 140), 0);
    p.batch = between(state, 1, 2), p.kv_heads = between(state, 1, 2), p.heads = p.kv_heads * between(state, 1, 3);
    p.causal = between(state, 0, 1);
    p.scale = (float)p.scale; /* the scale it is told is a float */
    if (between(state, 0, 9) == 0) p.scale = 0;
    if (between(state, 0, 9) == 0) p.scale = -p.scale;
    return p;
}

/* runs f on t and holds O and the log-sum-exp to the reference */
static void expect_flash(const flash_problem *f, const problem *p, tensors t, const char *what)
{
    const size_t rows = rows_of(p);
    float *O = need(outputs(p), sizeof *O), *lse = need(rows, sizeof *lse);
    double *found = need(outputs(p), sizeof *found), *expected = need(outputs(p), sizeof *expected);
    double *expected_lse = need(rows, sizeof *expected_lse);
    size_t where;
    memset(O, 0x55, outputs(p) * sizeof *O);
    ck_assert_int_eq(attention_flash(f, t.Q, t.K, t.V, O, lse), 0);
    reference(p, t.Q, t.K, t.V, expected, expected_lse);
    for (size_t i = 0; i < outputs(p); i++) found[i] = O[i];
    const double allowed = tolerance(p, 0x1p-24, t.Q, t.K, t.V, expected);
    const double deviation = largest_deviation(outputs(p), found, expected, &where);
    ck_assert_msg(deviation <= allowed, "%s: batch %zu, heads %zu on %zu, n %zu, m %zu, d %zu, dv %zu, br %zu, bc %zu, "
                  "threads %zu, scale %g%s: output %zu is %.9g, expected %.9g, allowed %.3g", what, p->batch, p->heads,
                  p->kv_heads, p->n, p->m, p->d, p->dv, f->br, f->bc, f->threads, p->scale, p->causal ? ", causal" : "",
                  where, found[where], expected[where], allowed);
    for (size_t i = 0; i < rows; i++)
        ck_assert_msg(lse[i] == expected_lse[i] || fabs(lse[i] - expected_lse[i]) <= 2e-6 * (1 + fabs(expected_lse[i])),
                      "%s: log-sum-exp of row %zu is %.9g, expected %.9g", what, i, lse[i], expected_lse[i]);
    free(O), free(lse), free(found), free(expected), free(expected_lse);
}

START_TEST(random_shapes_heads_tiles_and_threads)
{
    uint64_t state = seed() + 100;
    for (int draw = 0; draw < 250; draw++) {
        const problem p = random_problem(&state);
        const tensors t = normal_tensors(&p, &state);
        flash_problem f = flash_of(&p);
        if (draw % 3) f.br = size_upto(&state, 200), f.bc = size_upto(&state, 300);
        f.threads = between(&state, 1, 5);
        expect_flash(&f, &p, t, "random shape");
        free_tensors(t);
    }
}
END_TEST

/* few queries and many keys: the keys are split, into parts that end inside and at the end of a block */
START_TEST(split_keys_equal_the_reference)
{
    static const size_t queries[] = {1, 2, 5, 6, 47, 48, 70}, keys[] = {4095, 4096, 4097, 7001};
    uint64_t state = seed() + 101;
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 4; j++) {
            problem p = simple_problem(queries[i], keys[j], 20, 9, 0);
            p.scale = (float)p.scale, p.causal = (i + j) % 2;
            const tensors t = normal_tensors(&p, &state);
            flash_problem f = flash_of(&p);
            f.threads = between(&state, 1, 5);
            f.bc = j == 3 ? 100 : 0;
            expect_flash(&f, &p, t, "split keys");
            free_tensors(t);
        }
}
END_TEST

START_TEST(any_number_of_threads_gives_equal_bits)
{
    uint64_t state = seed() + 102;
    for (int draw = 0; draw < 60; draw++) {
        problem p = random_problem(&state);
        if (draw % 3 == 0) p.batch = p.heads = p.kv_heads = 1, p.n = between(&state, 1, 50), p.m += 9000;
        const tensors t = normal_tensors(&p, &state);
        flash_problem f = flash_of(&p);
        if (draw % 2) f.br = size_upto(&state, 100), f.bc = size_upto(&state, 300);
        const size_t size = outputs(&p) * sizeof(float), rows = rows_of(&p) * sizeof(float);
        float *O = need(1, size), *other = need(1, size), *lse = need(1, rows), *other_lse = need(1, rows);
        f.threads = 1;
        ck_assert_int_eq(attention_flash(&f, t.Q, t.K, t.V, O, lse), 0);
        for (f.threads = 2; f.threads <= 6; f.threads++) {
            if (f.threads == 6) f.threads = 0;
            ck_assert_int_eq(attention_flash(&f, t.Q, t.K, t.V, other, other_lse), 0);
            ck_assert_msg(!memcmp(O, other, size) && !memcmp(lse, other_lse, rows),
                          "%zu threads, n %zu, m %zu: other bits than with one", f.threads, p.n, p.m);
            if (f.threads == 0) break;
        }
        free(O), free(other), free(lse), free(other_lse), free_tensors(t);
    }
}
END_TEST

/* the accounts of keys 0 .. j - 1 and j .. m - 1, merged, are the account of all keys; wherever j is */
START_TEST(split_anywhere_and_merged_is_the_whole)
{
    enum { M = 150, D = 8, DV = 5 };
    uint64_t state = seed() + 103;
    problem p = simple_problem(1, M, D, DV, 0);
    p.scale = (float)p.scale;
    const tensors t = normal_tensors(&p, &state);
    for (size_t k = 0; k < D; k++) t.K[70 * D + k] = t.Q[k] * 20; /* and one key is hot */
    const flash_problem f = flash_of(&p);
    const head h = {&f, 0, t.Q, t.K, t.V};
    double expected[DV], found[DV], lse;
    reference(&p, t.Q, t.K, t.V, expected, &lse);
    for (size_t j = 0; j <= M; j++)
        for (int swapped = 0; swapped < 2; swapped++) {
            float a[DV + 2], b[DV + 2], O[DV], found_lse;
            attend_few(&h, 0, 1, 0, j, swapped ? b : a);
            attend_few(&h, 0, 1, j, M, swapped ? a : b);
            merge(DV, a, b);
            settle(&f, 0, a, O, &found_lse);
            for (size_t c = 0; c < DV; c++) found[c] = O[c];
            ck_assert_msg(largest_deviation(DV, found, expected, NULL) <=
                          tolerance(&p, 0x1p-24, t.Q, t.K, t.V, expected), "split at %zu", j);
            ck_assert_msg(fabs(found_lse - lse) <= 2e-6 * (1 + fabs(lse)), "split at %zu: %g, %g", j, found_lse, lse);
        }
    free_tensors(t);
}
END_TEST

START_TEST(merge_keeps_nan_and_infinity)
{
    static const float empty[] = {-INFINITY, 0, 0}, one[] = {2, 1, 5}, nan[] = {1, NAN, NAN};
    static const float high[] = {INFINITY, NAN, NAN};
    const struct { const float *a, *b; float values; } cases[] = {
        {empty, one, 5}, {one, empty, 5}, {empty, empty, 0}, {one, nan, NAN}, {nan, one, NAN}, {one, high, NAN},
        {(float[]){-300, 1, INFINITY}, one, NAN}, {one, (float[]){-300, 1, INFINITY}, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float a[3];
        memcpy(a, cases[i].a, sizeof a);
        merge(1, a, cases[i].b);
        const float expected = cases[i].values;
        ck_assert_msg(a[VALUES] == expected || (isnan(a[VALUES]) && isnan(expected)), "case %zu: %g", i, a[VALUES]);
    }
}
END_TEST

/* ---- the trace ---- */

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

/* the file that stage 4's program writes: every line has the head's twelve fields, and row 0 ends as it is printed */
START_TEST(the_program_writes_its_trace)
{
    char text[1 << 14];
    ck_assert_msg(command("build/stage-4 --trace build/trace.csv", text, sizeof text) == 0, "%s", text);
    ck_assert_msg(strstr(text, "skipped: query 15 sees keys up to 23") != NULL, "%s", text);
    ck_assert_int_eq(command("head -n 1 build/trace.csv; wc -l <build/trace.csv; awk -F, 'NF != 12' build/trace.csv; "
                             "grep -c '^2,0,0,0,16,16,24,0,3,3[.]4738[0-9]*,1,97[.]807[0-9]*$' build/trace.csv",
                             text, sizeof text), 0);
    ck_assert_str_eq(text, "step,head,row,i0,i1,j0,j1,skipped,maximum,sum,rescale,first\n161\n1\n");
    ck_assert_int_eq(command("build/stage-4 --trace /nowhere/x.csv >build/trace.log", text, sizeof text), 2);
    ck_assert_str_eq(text, "/nowhere/x.csv.part: No such file or directory\n");
    ck_assert_int_eq(command("build/stage-4 --trace", text, sizeof text), 2);
    ck_assert_str_eq(text, "usage: build/stage-4 [--trace FILE.csv]\n");
}
END_TEST

/* ---- exp ---- */

START_TEST(exp_is_off_by_3_ulp_at_most)
{
    union { uint32_t bits; float f; } x;
    double worst = 0;
    for (x.bits = 0x80000000; x.f >= -87.33f; x.bits += 97) { /* -0 to -87.33 */
        const double right = exp((double)x.f);
        int exponent;
        frexp(right, &exponent);
        const double ulp = fabs(exp_negative(x.f) - right) / ldexp(1, exponent - 24);
        if (!(ulp <= worst)) worst = ulp;
    }
    printf("exp_negative: at most %.2f ulp off\n", worst);
    ck_assert_msg(worst <= 3, "%.2f ulp", worst);
    ck_assert(exp_negative(0) == 1 && exp_negative(-0.0f) == 1);
    static const float none[] = {-87.34f, -88, -100, -104, -1e4f, -1e30f, -3e38f, -INFINITY};
    for (size_t i = 0; i < 8; i++) ck_assert_msg(exp_negative(none[i]) == 0, "exp(%g)", none[i]);
    static const uint32_t nans[] = {0x7FC00001, 0xFFC12345, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF};
    for (size_t i = 0; i < 6; i++) {
        x.bits = nans[i];
        ck_assert_msg(isnan(exp_negative(x.f)), "NaN %08x", (unsigned)nans[i]);
    }
}
END_TEST

/* ---- errors, sizes and storage ---- */

enum { KEEP = 7 };

static void expect_refused(flash_problem f, const float *Q, const float *K, const float *V, int expected,
                           const char *what)
{
    float O[64], lse[64];
    for (int i = 0; i < 64; i++) O[i] = lse[i] = KEEP;
    const int error = attention_flash(&f, Q, K, V, O, lse);
    ck_assert_msg(error == expected, "%s: returned %d, expected %d", what, error, expected);
    for (int i = 0; i < 64; i++) ck_assert_msg(O[i] == KEEP && lse[i] == KEEP, "%s: something was written", what);
}

START_TEST(what_can_not_be_is_refused)
{
    static const float x[64] = {1};
    const size_t huge = SIZE_MAX / 4 + 1;
    const problem p = simple_problem(2, 3, 4, 5, 0);
    const flash_problem f = flash_of(&p);
    flash_problem g = f;
    g.heads = 3, g.kv_heads = 2, expect_refused(g, x, x, x, EINVAL, "3 heads on 2"), g = f;
    g.kv_heads = 0, expect_refused(g, x, x, x, EINVAL, "no key head"), g = f;
    g.d = 0, expect_refused(g, x, x, x, EINVAL, "d = 0"), g = f;
    expect_refused(f, NULL, x, x, EINVAL, "no Q"), expect_refused(f, x, NULL, x, EINVAL, "no K");
    expect_refused(f, x, x, NULL, EINVAL, "no V");
    ck_assert_int_eq(attention_flash(&f, x, x, x, NULL, NULL), EINVAL);
    ck_assert_int_eq(attention_flash(NULL, x, x, x, (float[10]){0}, NULL), EINVAL);
    g.m = huge, expect_refused(g, x, x, x, EOVERFLOW, "m"), g = f;
    g.n = huge, expect_refused(g, x, x, x, EOVERFLOW, "n"), g = f;
    g.d = huge, expect_refused(g, x, x, x, EOVERFLOW, "d"), g = f;
    g.dv = huge, expect_refused(g, x, x, x, EOVERFLOW, "dv"), g = f;
    g.batch = huge, expect_refused(g, x, x, x, EOVERFLOW, "batch"), g = f;
    g.heads = huge, expect_refused(g, x, x, x, EOVERFLOW, "heads"), g = f;
    g.batch = g.heads = g.kv_heads = (size_t)1 << 32, expect_refused(g, x, x, x, EOVERFLOW, "2^32 squared"), g = f;
    g.n = g.m = 1, g.d = SIZE_MAX / 16, expect_refused(g, x, x, x, EOVERFLOW, "a tile too large"), g = f;
    g.n = 0, expect_refused(g, NULL, NULL, NULL, 0, "n = 0"), g = f;
    g.dv = 0, expect_refused(g, NULL, NULL, NULL, 0, "dv = 0"), g = f;
    g.batch = 0, expect_refused(g, NULL, NULL, NULL, 0, "no batch"), g = f;
}
END_TEST

START_TEST(rows_without_keys_are_zeros)
{
    float O[12], lse[4];
    const float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    problem p = simple_problem(4, 0, 3, 3, 0);
    const flash_problem none = flash_of(&p);
    ck_assert_int_eq(attention_flash(&none, x, NULL, NULL, O, lse), 0);
    for (int i = 0; i < 12; i++) ck_assert(O[i] == 0 && lse[i / 3] == -INFINITY);
    p.m = 2, p.causal = true;
    flash_problem f = flash_of(&p);
    for (f.br = 0; f.br < 2; f.br++) {
        memset(O, 0x55, sizeof O);
        ck_assert_int_eq(attention_flash(&f, x, x, x, O, lse), 0);
        for (int i = 0; i < 6; i++) ck_assert(O[i] == 0 && lse[i / 3] == -INFINITY);
        for (int i = 0; i < 3; i++) ck_assert(O[6 + i] == x[i]);
    }
}
END_TEST

/* each allocation fails once, with split keys and without: ENOMEM, nothing written, nothing leaked */
START_TEST(no_memory_for_any_of_the_threads)
{
    for (size_t m = 100; m <= 10000; m *= 100) {
        const problem p = simple_problem(3, m, 4, 5, 0);
        const tensors t = zero_tensors(&p);
        flash_problem f = flash_of(&p);
        float O[15];
        f.threads = 5;
        counted_begin((size_t)-1);
        ck_assert_int_eq(attention_flash(&f, t.Q, t.K, t.V, O, NULL), 0);
        const size_t calls = counted_calls();
        ck_assert_uint_eq(calls, m == 100 ? 1 : 2);
        for (size_t k = 0; k < calls; k++) {
            counted_begin(k);
            expect_refused(f, t.Q, t.K, t.V, ENOMEM, "an allocation fails");
            ck_assert_uint_eq(counted_held(), 0);
        }
        counted_begin((size_t)-1);
        free_tensors(t);
    }
}
END_TEST

/* what is asked for beside inputs and outputs: less than 128 KiB a thread at d = 64, however many queries and keys */
START_TEST(storage_does_not_grow)
{
    static const size_t sizes[][2] = {{1, 100}, {1, 1 << 20}, {5, 1 << 20}, {48, 1 << 20}, {200, 1 << 18}, {4096, 4096},
                                      {1 << 20, 1 << 20}};
    float x[1];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t threads = 1; threads <= 4; threads++) {
            const problem p = simple_problem(sizes[i][0], sizes[i][1], 64, 64, 0);
            flash_problem f = flash_of(&p);
            f.threads = threads;
            counted_begin(0);
            ck_assert_int_eq(attention_flash(&f, x, x, x, x, NULL), ENOMEM);
            ck_assert_msg(counted_peak() <= threads << 17, "n %zu, m %zu, %zu threads: %zu bytes", p.n, p.m, threads,
                          counted_peak());
        }
    counted_begin((size_t)-1);
}
END_TEST

/* the header is C and C++; flash.c refuses a compiler that is told there is no NaN */
START_TEST(compiles_where_it_should)
{
    char text[4096];
    ck_assert_msg(command("echo '#include \"04_online_softmax/flash.h\"' >build/flash.cc && "
                          "cp build/flash.cc build/flash_header.c && "
                          "${CC:-cc} -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only build/flash_header.c",
                          text, sizeof text) == 0, "%s", text);
    if (command("command -v c++", text, sizeof text) == 0)
        ck_assert_msg(command("c++ -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only build/flash.cc",
                              text, sizeof text) == 0, "%s", text);
    ck_assert_int_ne(command("${CC:-cc} -Ofast -c 04_online_softmax/flash.c -o build/fast.o", text, sizeof text), 0);
    ck_assert_msg(strstr(text, "not with -ffast-math") != NULL, "%s", text);
}
END_TEST

START_TEST(no_typical_mistake_in_merge)
{
    const char *hint = likely_merge_mistake();
    ck_assert_msg(!hint, "%s", hint);
}
END_TEST

Suite *merge_suite(void)
{
    Suite *s = suite_create("merge");
    TEST_CASE(s, accounts, 60);
    tcase_add_test(accounts, split_anywhere_and_merged_is_the_whole);
    tcase_add_test(accounts, merge_keeps_nan_and_infinity);
    tcase_add_test(accounts, no_typical_mistake_in_merge);
    return s;
}

Suite *flash_suite(void)
{
    Suite *s = suite_create("flash");
    TEST_CASE(s, against_float64, 120);
    tcase_add_test(against_float64, random_shapes_heads_tiles_and_threads);
    tcase_add_test(against_float64, split_keys_equal_the_reference);
    tcase_add_test(against_float64, rows_without_keys_are_zeros);
    TEST_CASE(s, threads, 120);
    tcase_add_test(threads, any_number_of_threads_gives_equal_bits);
    TEST_CASE(s, trace, 60);
    tcase_add_test(trace, each_line_of_the_trace_is_right);
    tcase_add_test(trace, the_program_writes_its_trace);
    TEST_CASE(s, small_things, 60);
    tcase_add_test(small_things, exp_is_off_by_3_ulp_at_most);
    tcase_add_test(small_things, what_can_not_be_is_refused);
    tcase_add_test(small_things, no_memory_for_any_of_the_threads);
    tcase_add_test(small_things, storage_does_not_grow);
    tcase_add_test(small_things, compiles_where_it_should);
    return s;
}
