/* Faults that users of comparable programs met, one of each kind: asked of every version.
 *
 * All inputs are tiny; what each holds is said in its line. Version 3 is run with one block. */
#include "expect.h"
#include "reference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* one head, d = dv = 1; the key coordinates, values and right results; block 0: all keys */
typedef struct {
    const char *what;
    size_t n, m, block;
    float Q[5], K[MOST], V[MOST];
    double O[5];
    bool causal;
    double largest; /* |score|: naive versions whose exp does not reach it are pinned down in the overflow suite */
} tiny;

static const tiny cases[] = {
    {"running maximum from a finite number", 1, 2, 1, {1}, {-245000, -245001}, {1, 2}, {1.268941421}, false, 245001},
    {"running maximum from 0", 1, 4, 2, {1}, {-200, -201, -202, -203}, {1, 2, 3, 4}, {1.507347265}, false, 203},
    {"a finite mask beats a score", 2, 2, 1, {-20000, 0}, {1, 0}, {1, 100}, {1, 50.5}, true, 20000},
    {"causal, n and m different", 2, 5, 2, {0}, {0}, {1, 2, 3, 4, 5}, {2.5, 3}, true, 0},
    {"a decode step sees all keys", 1, 5, 2, {0}, {0}, {1, 2, 3, 4, 5}, {3}, true, 0},
    {"NaN at a visible key", 1, 3, 2, {1}, {0, NAN, 0}, {1, 2, 3}, {NAN}, false, 0},
    {"NaN in a masked value", 3, 3, 2, {0}, {0}, {1, 2, NAN}, {1, 1.5, NAN}, true, 0},
    {"NaN in a masked key", 3, 3, 2, {1, 1, 1}, {0, 0, NAN}, {1, 2, 3}, {1, 1.5, NAN}, true, 0},
    {"exp overflows", 1, 3, 2, {1}, {90, 2, -2}, {1, 2, 3}, {1}, false, 90},
    {"only the sum overflows", 1, 2, 1, {1}, {88.7f, 88.6f}, {1, 2}, {1.475021193}, false, 89},
    {"equal large negative scores", 1, 2, 1, {1}, {-10000, -10000}, {1, 2}, {1.5}, false, 10000},
    {"divided in every step", 1, 4, 2, {1}, {3, 2, 1, 0}, {1, 2, 3, 4}, {1.507347265}, false, 3},
    {"NaN beside -inf in a block", 1, 4, 2, {1}, {0, 0, NAN, -INFINITY}, {1, 2, 3, 4}, {NAN}, false, 0},
    {"a masked huge value leaks", 2, 2, 1, {0}, {0}, {1, 3e37f}, {1, 1.5e37}, true, 0},
};

START_TEST(tiny_cases)
{
    const version *v = &versions[_i];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tiny *c = &cases[i];
        if ((c->causal && !v->causal) || c->largest > v->overflow) continue;
        problem p = simple_problem(c->n, c->m, 1, 1, c->block);
        p.causal = c->causal;
        p = right_block(v, p);
        tensors t = {(float *)c->Q, (float *)c->K, (float *)c->V};
        double allowed = 0; /* nine digits are given, and the versions' float32 has seven */
        for (size_t k = 0; k < c->n; k++) allowed = fmax(allowed, isnan(c->O[k]) ? 0 : fabs(c->O[k]) * 1e-6);
        expect_outputs(v, &p, t, c->O, allowed, c->what);
    }
}
END_TEST

START_TEST(rows_that_see_no_key_are_zero)
{
    const version *v = &versions[_i];
    if (!v->causal) return;
    problem p = simple_problem(5, 2, 2, 2, 1);
    p.causal = true;
    const tensors t = zero_tensors(&p);
    memcpy(t.V, (float[]){1, 2, 3, 4}, 4 * sizeof(float));
    expect_outputs(v, &p, t, (double[]){0, 0, 0, 0, 0, 0, 1, 2, 2, 3}, 1e-6, "5 queries, 2 keys, causal");
    free_tensors(t);
}
END_TEST

/* Partial sums, each measured against its own maximum, added up */
START_TEST(ramp_of_64_keys)
{
    const version *v = &versions[_i];
    for (size_t block = 1; block <= 64; block++) {
        const problem p = right_block(v, simple_problem(1, 64, 1, 1, block));
        const tensors t = zero_tensors(&p);
        t.Q[0] = 1;
        for (size_t j = 0; j < 64; j++) t.K[j] = t.V[j] = (float)j;
        expect_outputs(v, &p, t, (double[]){62.418023293}, 2e-5, "K = V = 0..63");
        free_tensors(t);
    }
}
END_TEST

/* Wrong below one block, or at its edge */
START_TEST(equal_values_around_a_block)
{
    static const size_t sizes[] = {1, 2, 3, 17, 31, 32, 33};
    const version *v = &versions[_i];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t m = sizes[i];
        const problem p = right_block(v, simple_problem(1, m, 1, 1, 32));
        const tensors t = zero_tensors(&p);
        for (size_t j = 0; j < m; j++) t.V[j] = 1;
        /* exactly 1 where the whole sum is divided; shares divided one by one are each rounded */
        expect_outputs(v, &p, t, (double[]){1}, v->divides_last ? 0 : (double)m * v->unit, "V = 1 around a block");
        free_tensors(t);
    }
}
END_TEST

START_TEST(every_dimension_is_computed)
{
    const version *v = &versions[_i];
    const problem p = right_block(v, simple_problem(2, 3, 64, 64, 2));
    const tensors t = zero_tensors(&p);
    double expected[128];
    for (size_t i = 0; i < 128; i++) expected[i] = (double)(i % 64);
    for (size_t i = 0; i < 192; i++) t.V[i] = (float)(i % 64);
    expect_outputs(v, &p, t, expected, 64 * 4 * v->unit, "V[:, c] = c");
    free_tensors(t);
}
END_TEST

/* Where a kernel's tiles change with d, and one that came by is not the last */
START_TEST(wide_rows)
{
    static const size_t widths[] = {65, 129, 200, 256};
    const version *v = &versions[_i];
    uint64_t state = seed();
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const problem p = right_block(v, simple_problem(2, 40, widths[i], 3, 7));
        const tensors t = normal_tensors(&p, &state);
        expect_reference(v, &p, t, "wide rows");
        free_tensors(t);
    }
}
END_TEST

START_TEST(scale_comes_from_d)
{
    const version *v = &versions[_i];
    const problem p = right_block(v, simple_problem(1, 2, 80, 1, 1));
    const tensors t = zero_tensors(&p);
    for (size_t c = 0; c < 80; c++) t.Q[c] = 1, t.K[c] = 0.1f;
    t.V[0] = 1;
    expect_outputs(v, &p, t, (double[]){0.709802947}, 1e-6, "d = 80");
    free_tensors(t);
}
END_TEST

/* A quick exp or a maximum by comparison can make a number of some NaNs */
START_TEST(every_nan_stays_nan)
{
    static const uint32_t bits[] = {0x7FC00001, 0xFFC12345, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF};
    const version *v = &versions[_i];
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        for (size_t at = 0; at < 5; at++) {
            const problem p = right_block(v, simple_problem(1, 5, 1, 1, 2));
            const tensors t = zero_tensors(&p);
            t.Q[0] = 1;
            memcpy(&t.K[at], &bits[i], sizeof *bits);
            expect_outputs(v, &p, t, (double[]){NAN}, 0, "NaN with a payload in K");
            t.K[at] = 0;
            memcpy(&t.V[at], &bits[i], sizeof *bits);
            expect_outputs(v, &p, t, (double[]){NAN}, 0, "NaN with a payload in V");
            free_tensors(t);
        }
}
END_TEST

/* The checker itself */
START_TEST(a_deviation_that_is_not_a_number_fails)
{
    const double right[] = {1, 2};
    size_t where;
    ck_assert(largest_deviation(2, (double[]){1, NAN}, right, &where) == INFINITY && where == 1);
    ck_assert(largest_deviation(2, (double[]){INFINITY, 2}, right, &where) == INFINITY && where == 0);
    ck_assert(largest_deviation(2, right, (double[]){1, NAN}, NULL) == INFINITY);
    ck_assert(largest_deviation(2, (double[]){INFINITY, 2}, (double[]){-INFINITY, 2}, NULL) == INFINITY);
    ck_assert(largest_deviation(2, (double[]){NAN, INFINITY}, (double[]){NAN, INFINITY}, NULL) == 0);
    ck_assert(largest_deviation(2, (double[]){1, 2.5}, right, &where) == 0.5 && where == 1);
}
END_TEST

Suite *cases_suite(void)
{
    Suite *s = suite_create("cases");
    const int count = (int)version_count;
    TEST_CASE(s, every_version, 30);
    tcase_add_loop_test(every_version, tiny_cases, 0, count);
    tcase_add_loop_test(every_version, rows_that_see_no_key_are_zero, 0, count);
    tcase_add_loop_test(every_version, ramp_of_64_keys, 0, count);
    tcase_add_loop_test(every_version, equal_values_around_a_block, 0, count);
    tcase_add_loop_test(every_version, every_dimension_is_computed, 0, count);
    tcase_add_loop_test(every_version, wide_rows, 0, count);
    tcase_add_loop_test(every_version, scale_comes_from_d, 0, count);
    tcase_add_loop_test(every_version, every_nan_stays_nan, 0, count);
    TEST_CASE(s, checker, 30);
    tcase_add_test(checker, a_deviation_that_is_not_a_number_fails);
    return s;
}
