/* The policy for edge cases, one test a line of its table: asked of every version. docs and headers
 * tell the same. What versions 0 and 1 do beyond their exp is pinned down in the overflow suite. */
#include "expect.h"
#include "reference.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* d = dv = 1, one query of 1: the keys are the scores. Every block size is tried. */
static void expect_scores(const version *v, size_t m, const float K[m], const float V[m], double expected,
                          double allowed, const char *what)
{
    const tensors t = {(float[]){1}, (float *)K, (float *)V};
    for (size_t block = 1; block <= m + 1; block++) {
        const problem p = right_block(v, simple_problem(1, m, 1, 1, block));
        expect_outputs(v, &p, t, (double[]){expected}, allowed, what);
    }
}

/* an exp that is not safe does not reach this score */
static bool beyond(const version *v, double score) { return fabs(score) > v->overflow; }

START_TEST(no_queries_or_no_values_write_nothing)
{
    const version *v = &versions[_i];
    double O[] = {7, 7};
    const float x[4] = {0};
    const problem none = simple_problem(0, 2, 1, 2, 1), narrow = simple_problem(2, 2, 1, 0, 1);
    const tensors t = {(float *)x, (float *)x, (float *)x};
    run_version(v, &none, t, O, "n = 0");
    run_version(v, &narrow, t, O, "dv = 0");
    run_version(v, &none, (tensors){0}, NULL, "n = 0 and null pointers");
    ck_assert_msg(O[0] == 7 && O[1] == 7, "%s: n = 0 or dv = 0: O was written", v->name);
}
END_TEST

START_TEST(no_keys_give_zeros)
{
    const version *v = &versions[_i];
    const problem p = simple_problem(2, 0, 3, 2, 4);
    const tensors t = {(float[6]){1, 2, 3, NAN, INFINITY, 0}, NULL, NULL};
    expect_outputs(v, &p, t, (double[4]){0}, 0, "m = 0");
}
END_TEST

START_TEST(nan_and_infinity_at_visible_places)
{
    const version *v = &versions[_i];
    const float zeros[3] = {0}, values[3] = {1, 2, 3};
    for (size_t at = 0; at < 3; at++) {
        float K[3] = {0}, V[3] = {1, 2, 3};
        K[at] = NAN;
        expect_scores(v, 3, K, values, NAN, 0, "NaN in a key");
        V[at] = NAN;
        expect_scores(v, 3, zeros, V, NAN, 0, "NaN in a value");
        V[at] = INFINITY;
        expect_scores(v, 3, zeros, V, INFINITY, 0, "infinity in a value");
    }
}
END_TEST

START_TEST(nan_or_infinity_under_a_weight_of_zero)
{
    const version *v = &versions[_i];
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        expect_scores(v, 2, (float[]){0, -INFINITY}, (float[]){1, bad[i]}, NAN, 0, "under a score of -inf");
        expect_scores(v, 2, (float[]){-INFINITY, 0}, (float[]){bad[i], 1}, NAN, 0, "under a first score of -inf");
        expect_scores(v, 2, (float[]){-10000, 0}, (float[]){bad[i], 1}, NAN, 0, "under a score of -10000");
    }
}
END_TEST

START_TEST(scores_of_minus_infinity_have_weight_zero)
{
    const version *v = &versions[_i];
    const float inf = INFINITY, V[] = {1, 2, 3, 4};
    expect_scores(v, 4, (float[]){-inf, -inf, 0, 0}, V, 3.5, 0, "first block -inf");
    expect_scores(v, 4, (float[]){0, 0, -inf, -inf}, V, 1.5, 0, "last block -inf");
    expect_scores(v, 4, (float[]){-inf, 0, -inf, 0}, V, 3, 0, "every other -inf");
}
END_TEST

START_TEST(undefined_softmax_is_nan)
{
    const version *v = &versions[_i];
    const float inf = INFINITY, V[] = {1, 2, 3};
    expect_scores(v, 3, (float[]){-inf, -inf, -inf}, V, NAN, 0, "all scores -inf");
    for (size_t at = 0; at < 3; at++) {
        float K[3] = {0};
        K[at] = inf;
        expect_scores(v, 3, K, V, NAN, 0, "a score of +inf");
    }
}
END_TEST

START_TEST(very_negative_scores_are_right)
{
    const version *v = &versions[_i];
    static const float scores[] = {-2e4f, -1e30f, -3e38f};
    for (size_t i = 0; i < 3; i++) {
        if (beyond(v, scores[i])) continue;
        const float s = scores[i];
        expect_scores(v, 4, (float[]){s, s, s, s}, (float[]){1, 2, 3, 4}, 2.5, 1e-6, "all scores very negative");
    }
}
END_TEST

START_TEST(large_scores_are_right)
{
    const version *v = &versions[_i];
    static const float bases[] = {1e5f, -1e5f, 1e6f, 8388600};
    const double right = (1 + 2 * exp(1) + 3 * exp(3)) / (1 + exp(1) + exp(3));
    for (size_t i = 0; i < 4; i++)
        if (!beyond(v, bases[i]))
            expect_scores(v, 3, (float[]){bases[i], bases[i] + 1, bases[i] + 3}, (float[]){1, 2, 3}, right, 1e-6,
                          "scores of 1e5 and more");
}
END_TEST

/* Equal keys make equal scores, however they are rounded. A product that is fused into the subtraction of the
 * maximum escapes that rounding: at scores of 1e9 the two differ by up to 32, and the weights are no longer 1. */
START_TEST(a_score_is_rounded_once)
{
    const version *v = &versions[_i];
    for (size_t d = 3; d <= 80; d += 11) {
        if (beyond(v, 1e9)) continue;
        for (size_t block = 1; block <= 4; block++) {
            const problem p = right_block(v, simple_problem(1, 3, d, 1, block));
            const tensors t = zero_tensors(&p);
            for (size_t c = 0; c < d; c++) t.Q[c] = 133120 + (float)c;
            for (size_t j = 0; j < 3 * d; j++) t.K[j] = 133121.3f + (float)(j % d);
            for (size_t j = 0; j < 3; j++) t.V[j] = (float)(j + 1);
            expect_outputs(v, &p, t, (double[]){2}, 1e-6, "equal scores beyond 1e9");
            free_tensors(t);
        }
    }
}
END_TEST

/* The weighted sum leaves float32, the mean does not. Those that divide first are right; the others may give inf. */
START_TEST(values_near_the_end_of_float32)
{
    const version *v = &versions[_i];
    const problem p = right_block(v, simple_problem(1, 4, 1, 1, 2));
    const tensors t = zero_tensors(&p);
    double O;
    for (size_t j = 0; j < 4; j++) t.V[j] = 3e38f;
    run_version(v, &p, t, &O, "values of 3e38");
    const bool right = fabs(O - 3e38f) <= 3e38 * 1e-6;
    ck_assert_msg(right || (v->divides_last && O == INFINITY), "%s: 4 equal scores, values of 3e38: the output is %g",
                  v->name, O);
    free_tensors(t);
}
END_TEST

/* NaN and infinity where a row may not look do nothing to it, wherever they stand */
START_TEST(masked_places_have_no_effect)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
    const version *v = &versions[_i];
    if (!v->causal) return;
    uint64_t state = seed();
    for (int draw = 0; draw < 100; draw++) {
        problem p = simple_problem(between(&state, 1, 40), between(&state, 1, 40), 5, 3, between(&state, 1, 20));
        p.causal = true;
        const tensors t = normal_tensors(&p, &state);
        const size_t at = between(&state, 0, p.m - 1), which = between(&state, 0, 3);
        if (between(&state, 0, 1)) t.K[at * p.d + 1] = which < 3 ? bad[which] : NAN;
        else t.V[at * p.dv + 1] = bad[which];
        if (which == 3) t.V[at * p.dv + 1] /= 1e8f; /* large, and its sums still finite */
        expect_reference(v, &p, t, "NaN, infinity or a large value somewhere");
        free_tensors(t);
    }
}
END_TEST

/* Sizes that cannot be: an error, and no crash; O stays as it was */
START_TEST(impossible_sizes_are_refused)
{
    const version *v = &versions[_i];
    static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX / 8, (size_t)1 << 45};
    const size_t count = v->options ? 2 : 4; /* those that keep one tile can take the last two, given the keys */
    for (size_t i = 0; i < count; i++) {
        problem p = simple_problem(1, sizes[i], 1, 1, sizes[i]);
        const float x[1] = {1};
        double O[1] = {7};
        const int error = v->run(&p, x, x, x, O);
        ck_assert_msg(error == ENOMEM || error == EOVERFLOW, "%s: m = %zu: %d", v->name, sizes[i], error);
        ck_assert_msg(O[0] == 7, "%s: m = %zu: O was written", v->name, sizes[i]);
    }
}
END_TEST

Suite *policy_suite(void)
{
    Suite *s = suite_create("policy");
    const int count = (int)version_count;
    TEST_CASE(s, every_version, 60);
    tcase_add_loop_test(every_version, no_queries_or_no_values_write_nothing, 0, count);
    tcase_add_loop_test(every_version, no_keys_give_zeros, 0, count);
    tcase_add_loop_test(every_version, nan_and_infinity_at_visible_places, 0, count);
    tcase_add_loop_test(every_version, nan_or_infinity_under_a_weight_of_zero, 0, count);
    tcase_add_loop_test(every_version, scores_of_minus_infinity_have_weight_zero, 0, count);
    tcase_add_loop_test(every_version, undefined_softmax_is_nan, 0, count);
    tcase_add_loop_test(every_version, very_negative_scores_are_right, 0, count);
    tcase_add_loop_test(every_version, large_scores_are_right, 0, count);
    tcase_add_loop_test(every_version, a_score_is_rounded_once, 0, count);
    tcase_add_loop_test(every_version, values_near_the_end_of_float32, 0, count);
    tcase_add_loop_test(every_version, masked_places_have_no_effect, 0, count);
    tcase_add_loop_test(every_version, impossible_sizes_are_refused, 0, count);
    return s;
}
