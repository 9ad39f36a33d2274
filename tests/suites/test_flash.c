/* attention_flash beyond what every version is asked: heads, tiles, threads, the log-sum-exp, exp, and its errors. The
 * policy and case suites ask it the rest; the trace and the merge of accounts have suites of their own. */
#include "../../04_online_softmax/common.h"
#define UNCOUNTED
#include "counted.h"
#include "expect.h"
#include "reference.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    double lost = 0; /* below 2^-126 float32 goes on in steps of 2^-149 */
    for (x.f = -87.34f; x.f >= -105; x.bits += 13) {
        const double step = fabs(exp_negative(x.f) - exp((double)x.f)) / 0x1p-149;
        if (!(step <= lost)) lost = step;
    }
    ck_assert_msg(lost <= 2, "%.2f of the steps of 2^-149", lost);
    ck_assert(exp_negative(-103.97f) == 0x1p-149f && exp_negative(-103.98f) == 0);
    static const float none[] = {-104, -110, -150, -1e4f, -1e30f, -3e38f, -INFINITY};
    for (size_t i = 0; i < 7; i++) ck_assert_msg(exp_negative(none[i]) == 0, "exp(%g)", none[i]);
    static const uint32_t nans[] = {0x7FC00001, 0xFFC12345, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF};
    for (size_t i = 0; i < 6; i++) {
        x.bits = nans[i];
        ck_assert_msg(isnan(exp_negative(x.f)), "NaN %08x", (unsigned)nans[i]);
    }
}
END_TEST

/* two keys, one query, alone and in a tile: O and the log-sum-exp */
static void expect_two(float k0, float k1, float v0, float v1, float O, float lse)
{
    const problem p = simple_problem(1, 2, 1, 1, 0);
    flash_problem f = flash_of(&p);
    f.scale = 1;
    for (f.br = 0; f.br <= 16; f.br += 16) {
        float o, l;
        ck_assert_int_eq(attention_flash(&f, (float[]){1}, (float[]){k0, k1}, (float[]){v0, v1}, &o, &l), 0);
        ck_assert_msg((isnan(O) ? isnan(o) : o == O || fabsf(o - O) <= 1e-6f * fabsf(O)) && l == lse,
                      "K = [%g, %g], V = [%g, %g], br %zu: O %.9g, expected %.9g, lse %g, expected %g", k0, k1, v0, v1,
                      f.br, o, O, l, lse);
    }
}

/* what float32 still holds is weighed; the sum of exp(score) is infinite where a score is */
START_TEST(small_weights_count_and_an_infinite_score_has_an_infinite_sum)
{
    expect_two(0, -95, 2, -INFINITY, -INFINITY, 0);
    expect_two(0, -90, 1, INFINITY, INFINITY, 0);
    expect_two(-90, 0, INFINITY, 1, INFINITY, 0);
    expect_two(0, -88, 1, 1e38f, 1.605460170f, 0);
    expect_two(0, INFINITY, 1, 2, NAN, INFINITY);
}
END_TEST

/* equal scores and values, more keys than one float32 sum can bear, however many heads share them */
START_TEST(long_rows_keep_their_digits)
{
    enum { M = 1 << 20 };
    float *K = need(M, sizeof *K), *V = need(M, sizeof *V), Q[192] = {0}, O[192];
    for (size_t j = 0; j < M; j++) K[j] = 0, V[j] = 0.1f;
    static const size_t heads[] = {1, 6, 32, 192};
    for (size_t i = 0; i < 4; i++) {
        const flash_problem f = {.batch = 1, .heads = heads[i], .kv_heads = 1, .n = 1, .m = M, .d = 1,
                                 .dv = 1, .scale = 1};
        ck_assert_int_eq(attention_flash(&f, Q, K, V, O, NULL), 0);
        for (size_t h = 0; h < heads[i]; h++)
            ck_assert_msg(fabsf(O[h] - 0.1f) <= 2e-5f * 0.1f, "%zu heads: relative error %.2g", heads[i],
                          fabsf(O[h] - 0.1f) / 0.1f);
        printf("m = 2^20, %zu heads on one: relative error %.1e\n", heads[i], fabsf(O[0] - 0.1f) / 0.1f);
    }
    free(K), free(V);
}
END_TEST

/* few queries of heads that share keys are stacked: a tile then holds the ends of several heads */
START_TEST(grouped_heads_with_few_queries)
{
    static const size_t groups[] = {1, 2, 3, 8, 20}, queries[] = {1, 2, 5, 7, 17, 47};
    uint64_t state = seed() + 105;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 6; j++) {
            problem p = simple_problem(queries[j], between(&state, 1, 300), 1 + 7 * i, 3 + 8 * j, 0);
            p.batch = 2, p.kv_heads = 2, p.heads = 2 * groups[i], p.scale = (float)p.scale, p.causal = (i + j) % 2;
            const tensors t = normal_tensors(&p, &state);
            flash_problem f = flash_of(&p);
            f.bc = j % 2 ? 0 : 37, f.threads = 3;
            expect_flash(&f, &p, t, "grouped heads");
            free_tensors(t);
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

/* the header is C and C++ */
START_TEST(compiles_where_it_should)
{
    char text[4096];
    const char line[] = "echo '#include \"04_online_softmax/flash.h\"' | tee build/flash.cc >build/flash_.c && "
                        "${CC:-cc} -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only build/flash_.c";
    ck_assert_msg(command(line, text, sizeof text) == 0, "%s", text);
    if (command("command -v c++", text, sizeof text) == 0)
        ck_assert_msg(command("c++ -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only build/flash.cc",
                              text, sizeof text) == 0, "%s", text);
}
END_TEST

Suite *flash_suite(void)
{
    Suite *s = suite_create("flash");
    TEST_CASE(s, against_float64, 120);
    tcase_add_test(against_float64, random_shapes_heads_tiles_and_threads);
    tcase_add_test(against_float64, split_keys_equal_the_reference);
    tcase_add_test(against_float64, grouped_heads_with_few_queries);
    tcase_add_test(against_float64, rows_without_keys_are_zeros);
    TEST_CASE(s, threads, 120);
    tcase_add_test(threads, any_number_of_threads_gives_equal_bits);
    TEST_CASE(s, small_things, 60);
    tcase_add_test(small_things, exp_is_off_by_3_ulp_at_most);
    tcase_add_test(small_things, small_weights_count_and_an_infinite_score_has_an_infinite_sum);
    tcase_add_test(small_things, long_rows_keep_their_digits);
    tcase_add_test(small_things, what_can_not_be_is_refused);
    tcase_add_test(small_things, no_memory_for_any_of_the_threads);
    tcase_add_test(small_things, storage_does_not_grow);
    tcase_add_test(small_things, compiles_where_it_should);
    return s;
}
