/* The article's numbers on the article's data, asserted and printed. */
#include "article.h"
#include "expect.h"
#include "../tools/npy.h"
#include "reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static npy_array tensor(const char *path)
{
    npy_array a;
    char message[NPY_MESSAGE];
    ck_assert_msg(npy_read(path, &a, message) == 0, "%s", message);
    ck_assert_uint_eq(a.dimensions, 2);
    return a;
}

/* the article's problem with Q and K times hot */
static problem article(float hot, tensors *t)
{
    const npy_array Q = tensor(ARTICLE "Q.npy"), K = tensor(ARTICLE "K.npy"), V = tensor(ARTICLE "V.npy");
    for (size_t i = 0; i < Q.shape[0] * Q.shape[1]; i++) Q.data[i] *= hot;
    for (size_t i = 0; i < K.shape[0] * K.shape[1]; i++) K.data[i] *= hot;
    *t = (tensors){Q.data, K.data, V.data};
    return simple_problem(Q.shape[0], K.shape[0], Q.shape[1], V.shape[1], ARTICLE_BLOCK);
}

static double *run(const char *name, const problem *p, tensors t)
{
    double *O = need(outputs(p), sizeof *O);
    ck_assert_int_eq(version_named(name)->run(p, t.Q, t.K, t.V, O), 0);
    return O;
}

/* our reference against the results that came with the data */
START_TEST(the_reference_is_the_articles)
{
    static const char *const files[] = {ARTICLE "O.npy", ARTICLE "O_hot.npy"};
    for (int hot = 0; hot < 2; hot++) {
        tensors t;
        const problem p = article(hot ? HOT : 1, &t);
        const npy_array right = tensor(files[hot]);
        double *O = need(outputs(&p), sizeof *O);
        ck_assert_uint_eq(right.shape[0] * right.shape[1], outputs(&p));
        reference(&p, t.Q, t.K, t.V, O, NULL);
        for (size_t i = 0; i < outputs(&p); i++) /* the file is read as float32 */
            ck_assert_msg(fabs(O[i] - right.data[i]) <= 4 * 0x1p-24,
                          "output %zu is %.9g, expected %.9g", i, O[i], right.data[i]);
        free(O), free(right.data), free_tensors(t);
    }
}
END_TEST

START_TEST(naive_softmax_overflows_on_the_hot_data)
{
    tensors t;
    const problem p = article(HOT, &t);
    double *O = run("matrix", &p, t);
    size_t bad = 0;
    for (size_t i = 0; i < outputs(&p); i++) bad += !isfinite(O[i]);
    printf("version 1, hot: %zu of %zu outputs not finite\n", bad, outputs(&p));
    ck_assert_uint_eq(bad, 512);
    ck_assert_uint_eq(outputs(&p), 512);
    free(O), free_tensors(t);
}
END_TEST

/* version by version, the largest deviation from float64 that is allowed: plain and hot */
START_TEST(deviations_from_float64)
{
    static const struct { const char *name; double plain, hot; } allowed[] = {
        {"loop", 1e-14, 1e-14}, {"matrix", 5e-07, INFINITY}, {"safe", 5e-07, 1e-05}, {"online", 5e-07, 1e-05}};
    for (int hot = 0; hot < 2; hot++) {
        tensors t;
        const problem p = article(hot ? HOT : 1, &t);
        double *right = need(outputs(&p), sizeof *right);
        reference(&p, t.Q, t.K, t.V, right, NULL);
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
            double *O = run(allowed[i].name, &p, t);
            const double deviation = largest_deviation(outputs(&p), O, right, NULL);
            if (isfinite(deviation))
                printf("%s, %s: %.2g from float64\n", allowed[i].name, hot ? "hot" : "plain", deviation);
            ck_assert_msg(deviation <= (hot ? allowed[i].hot : allowed[i].plain), "%s", allowed[i].name);
            free(O);
        }
        free(right), free_tensors(t);
    }
}
END_TEST

START_TEST(the_blockwise_bug_grows_with_the_blocks)
{
    static const struct { size_t block; double deviation, digits; } article_says[] = {
        {64, 0, 0},        {32, 0.667, 5e-4}, {16, 2.118, 5e-4}, {8, 3.53, 5e-3},
        {4, 7.78, 5e-3},   {2, 13.5, 5e-2},   {1, 20.24, 5e-3}};
    tensors t;
    problem p = article(1, &t);
    double *safe = run("safe", &p, t);
    for (size_t i = 0; i < sizeof article_says / sizeof *article_says; i++) {
        p.block = article_says[i].block;
        double *O = run("blockwise_bug", &p, t);
        const double deviation = largest_deviation(outputs(&p), O, safe, NULL);
        printf("version 3, blocks of %zu: %.3f from version 2\n", p.block, deviation);
        ck_assert(fabs(deviation - article_says[i].deviation) <= article_says[i].digits);
        free(O);
    }
    free(safe), free_tensors(t);
}
END_TEST

START_TEST(online_softmax_mends_it_for_every_block)
{
    for (int hot = 0; hot < 2; hot++) {
        tensors t;
        problem p = article(hot ? HOT : 1, &t);
        double *safe = run("safe", &p, t), largest = 0;
        for (p.block = 1; p.block <= 65; p.block++) {
            double *O = run("online", &p, t);
            largest = fmax(largest, largest_deviation(outputs(&p), O, safe, NULL));
            free(O);
        }
        printf("version 4, %s, blocks of 1 to 65: at most %.2g from version 2\n", hot ? "hot" : "plain", largest);
        ck_assert_double_le(largest, 5e-07);
        free(safe), free_tensors(t);
    }
}
END_TEST

Suite *article_suite(void)
{
    Suite *s = suite_create("article");
    TEST_CASE(s, numbers, 30);
    tcase_add_test(numbers, the_reference_is_the_articles);
    tcase_add_test(numbers, naive_softmax_overflows_on_the_hot_data);
    tcase_add_test(numbers, deviations_from_float64);
    tcase_add_test(numbers, the_blockwise_bug_grows_with_the_blocks);
    tcase_add_test(numbers, online_softmax_mends_it_for_every_block);
    return s;
}
