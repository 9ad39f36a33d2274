/* Two accounts of one row become one: decode.c's merge. */
#include "../../04_online_softmax/common.h"
#include "../grading/mistakes.h"
#include "expect.h"
#include "reference.h"
#include <math.h>
#include <string.h>

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
