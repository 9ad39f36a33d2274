/* What every header promises: return values, and nothing written on an error. */
#define UNCOUNTED
#include "counted.h"
#include "expect.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { N = 3, M = 4, D = 2, DV = 2, KEEP = 7 };
static const float x[N * M * D] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

/* v refuses p or a pointer with that error and leaves O alone */
static void expect_error(const version *v, problem p, const float *Q, const float *K, const float *V, bool has_O,
                         int expected, const char *what)
{
    double O[N * DV];
    for (size_t i = 0; i < N * DV; i++) O[i] = KEEP;
    const int error = v->run(&p, Q, K, V, has_O ? O : NULL);
    ck_assert_msg(error == expected, "%s: %s: returned %d, expected %d", v->name, what, error, expected);
    for (size_t i = 0; i < N * DV; i++) ck_assert_msg(O[i] == KEEP, "%s: %s: O was written", v->name, what);
}

START_TEST(invalid_arguments)
{
    const version *v = &versions[_i];
    const problem p = simple_problem(N, M, D, DV, 2);
    problem flat = p;
    flat.d = 0;
    expect_error(v, flat, x, x, x, true, EINVAL, "d = 0");
    expect_error(v, p, NULL, x, x, true, EINVAL, "Q null");
    expect_error(v, p, x, NULL, x, true, EINVAL, "K null");
    expect_error(v, p, x, x, NULL, true, EINVAL, "V null");
    expect_error(v, p, x, x, x, false, EINVAL, "O null");
}
END_TEST

START_TEST(a_block_of_nothing)
{
    const version *v = &versions[_i];
    if (v->blocks && !v->options) expect_error(v, simple_problem(N, M, D, DV, 0), x, x, x, true, EINVAL, "block = 0");
}
END_TEST

/* each allocation fails once: ENOMEM, O untouched, nothing leaked; and the run without failure leaks nothing either */
START_TEST(no_memory)
{
    const version *v = &versions[_i];
    double O[N * DV];
    const problem p = simple_problem(N, M, D, DV, 2);
    counted_begin((size_t)-1);
    run_version(v, &p, (tensors){(float *)x, (float *)x, (float *)x}, O, "memory");
    ck_assert_msg(counted_held() == 0, "%s: %zu bytes were not freed", v->name, counted_held());
    const size_t calls = counted_calls();
    ck_assert_msg(calls > 0, "%s: nothing was allocated", v->name);
    for (size_t k = 0; k < calls; k++) {
        counted_begin(k);
        expect_error(v, p, x, x, x, true, ENOMEM, "an allocation fails");
        ck_assert_msg(counted_held() == 0, "%s: an allocation fails: %zu bytes were not freed", v->name,
                      counted_held());
    }
    counted_begin((size_t)-1);
}
END_TEST

/* version 4 keeps n (block + 2) floats, whatever m is; versions 1 and 2 keep n m; version 3 n block */
START_TEST(storage)
{
    static const struct { const char *name; size_t at_40, at_4000; } expected[] = {
        {"loop", 40 * 8, 4000 * 8},
        {"matrix", 6 * 40 * 4, 6 * 4000 * 4},
        {"safe", 6 * 40 * 4, 6 * 4000 * 4},
        {"blockwise_bug", 6 * 5 * 4, 6 * 5 * 4},
        {"online", 6 * (5 + 2) * 4, 6 * (5 + 2) * 4},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (size_t m = 40; m <= 4000; m *= 100) {
            const version *v = version_named(expected[i].name);
            if (!v) continue;
            uint64_t state = seed();
            const problem p = simple_problem(6, m, 2, 2, 5);
            const tensors t = normal_tensors(&p, &state);
            double O[12];
            counted_begin((size_t)-1);
            run_version(v, &p, t, O, "storage");
            const size_t most = m == 40 ? expected[i].at_40 : expected[i].at_4000;
            ck_assert_msg(counted_peak() == most, "%s: n 6, m %zu, block 5: %zu bytes were held, expected %zu", v->name,
                          m, counted_peak(), most);
            free_tensors(t);
        }
}
END_TEST

Suite *contracts_suite(void)
{
    Suite *s = suite_create("contracts");
    const int count = (int)version_count;
    TEST_CASE(s, every_version, 30);
    tcase_add_loop_test(every_version, invalid_arguments, 0, count);
    tcase_add_loop_test(every_version, a_block_of_nothing, 0, count);
    tcase_add_loop_test(every_version, no_memory, 0, count);
    TEST_CASE(s, bytes, 30);
    tcase_add_test(bytes, storage);
    return s;
}
