/* Where exp ends: what versions 0 and 1 do beyond it, and that versions 2 to 4 do not notice. */
#include "expect.h"
#include "reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the output of v for keys that all have this score and values that are all 1 */
static double even(const version *v, size_t m, float score)
{
    const problem p = right_block(v, simple_problem(1, m, 1, 1, 1));
    const tensors t = zero_tensors(&p);
    double O;
    t.Q[0] = 1;
    for (size_t j = 0; j < m; j++) t.K[j] = score, t.V[j] = 1;
    run_version(v, &p, t, &O, "equal scores");
    free_tensors(t);
    return O;
}

/* the score from which on the output is not 1 (sign +1 or -1 tells the direction), found by halving */
static double edge(const version *v, size_t m, float sign)
{
    float right = 0, wrong = sign * 2000;
    while (fabsf(wrong - right) > 1e-3f) {
        const float middle = (right + wrong) / 2;
        if (fabs(even(v, m, middle) - 1) < 0.5) right = middle;
        else wrong = middle;
    }
    return right;
}

/* the sum of m equal weights overflows from (largest exponent) - ln m on; 0/0 comes where the smallest weight ends */
START_TEST(naive_versions_end_where_exp_ends)
{
    static const struct { const char *name; double above, below; } ends[] = {
        {"loop", 709.7827, -745.1332}, {"matrix", 88.7228, -103.972}};
    for (size_t i = 0; i < 2; i++) {
        const version *v = version_named(ends[i].name);
        for (size_t m = 1; m <= 1000; m *= 10) {
            const double above = edge(v, m, 1), below = edge(v, m, -1);
            printf("%s, m = %zu: right for equal scores from %.2f to %.2f\n", v->name, m, below, above);
            ck_assert_double_eq_tol(above, ends[i].above - log((double)m), 0.002);
            ck_assert_double_eq_tol(below, ends[i].below, 0.002);
        }
    }
}
END_TEST

START_TEST(naive_versions_beyond_exp)
{
    static const struct { const char *name; float infinite, finite, none; } ends[] = {
        {"loop", 710, 709.5f, -746}, {"matrix", 89, 88.7f, -104}};
    for (size_t i = 0; i < 2; i++) {
        const version *v = version_named(ends[i].name);
        ck_assert_msg(isnan(even(v, 2, ends[i].infinite)), "inf / inf is NaN");
        ck_assert_msg(even(v, 2, ends[i].finite) == 0, "finite weights over an infinite sum are 0");
        ck_assert_msg(isnan(even(v, 2, ends[i].none)), "0 / 0 is NaN");
    }
}
END_TEST

/* Below the smallest normal number weights have few bits: finite, and off by more than rounding */
START_TEST(naive_versions_lose_precision_first)
{
    static const struct { const char *name; float score; } ends[] = {{"loop", -740}, {"matrix", -100}};
    for (size_t i = 0; i < 2; i++) {
        const version *v = version_named(ends[i].name);
        const problem p = simple_problem(1, 2, 1, 1, 2);
        const float one = 1, K[] = {ends[i].score, ends[i].score - 0.5f}, V[] = {1, 2};
        double found, expected;
        reference(&p, &one, K, V, &expected, NULL);
        ck_assert_int_eq(v->run(&p, &one, K, V, &found), 0);
        ck_assert_msg(fabs(found - expected) > 1e-4 && fabs(found - expected) < 0.1, "%s: %g", v->name, found);
    }
}
END_TEST

START_TEST(safe_versions_do_not_notice)
{
    static const float scores[] = {80, 90, 700, 720, -90, -110, -750, 1e30f, -1e30f};
    for (size_t i = 0; i < version_count; i++)
        for (size_t k = 0; versions[i].overflow == INFINITY && k < sizeof scores / sizeof *scores; k++)
            for (size_t m = 1; m <= 100; m *= 10)
                ck_assert_double_eq_tol(even(&versions[i], m, scores[k]), 1, 1e-5);
}
END_TEST

/* What the program of stage 2 finds on each type's own grid, against the arithmetic of these types */
START_TEST(thresholds_of_the_program)
{
    static const struct { const char *name; double limit, step; } types[] = {
        /* halfway from the largest number to the next power of two; the grid's step near the threshold */
        {"float16", 65520, 0x1p-7}, {"bfloat16", 0x1.ffp127, 0x1p-1}, {"float32", 0x1.ffffffp127, 0x1p-17},
        {"float64", INFINITY, 0x1p-43}};
    char text[8192];
    ck_assert_int_eq(command("build/stage-2", text, sizeof text), 0);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double finite, infinite;
        char pattern[64];
        snprintf(pattern, sizeof pattern, "\n  %s ", types[i].name);
        const char *line = strstr(text, pattern);
        ck_assert_msg(line != NULL, "no line of %s", types[i].name);
        ck_assert_int_eq(sscanf(line + strlen(pattern), "%lf %lf", &finite, &infinite), 2);
        printf("exp overflows in %s above %.2f\n", types[i].name, finite);
        ck_assert(exp(finite) < types[i].limit && !(exp(infinite) < types[i].limit));
        ck_assert_msg(infinite - finite == types[i].step, "%s: neighbours", types[i].name);
        ck_assert_msg(fmod(finite, types[i].step) == 0, "%s: on its grid", types[i].name);
    }
    ck_assert(expf(88.722831726074219f) < INFINITY && expf(88.72283935546875f) == INFINITY);
}
END_TEST

Suite *overflow_suite(void)
{
    Suite *s = suite_create("overflow");
    TEST_CASE(s, naive, 30);
    tcase_add_test(naive, naive_versions_end_where_exp_ends);
    tcase_add_test(naive, naive_versions_beyond_exp);
    tcase_add_test(naive, naive_versions_lose_precision_first);
    TEST_CASE(s, safe, 30);
    tcase_add_test(safe, safe_versions_do_not_notice);
    TEST_CASE(s, types, 30);
    tcase_add_test(types, thresholds_of_the_program);
    return s;
}
