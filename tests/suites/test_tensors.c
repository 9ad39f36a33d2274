/* Every version on tensors of a real model (tests/data/minilm), held to float64. */
#include "expect.h"
#include "../tools/npy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINILM "tests/data/minilm/"

static float *tensor(const char *folder, char letter, size_t shape[3])
{
    char path[256], message[NPY_MESSAGE];
    npy_array a;
    snprintf(path, sizeof path, MINILM "%s/%c.npy", folder, letter);
    ck_assert_msg(npy_read(path, &a, message) == 0, "%s", message);
    ck_assert_uint_eq(a.dimensions, 3);
    memcpy(shape, a.shape, 3 * sizeof *shape);
    return a.data;
}

START_TEST(every_version_on_a_real_model)
{
    static const char *const folders[] = {"dog/layer0", "dog/layer3", "river/layer0", "river/layer3"};
    const char *folder = folders[_i];
    size_t q[3], k[3], v[3];
    const tensors t = {tensor(folder, 'Q', q), tensor(folder, 'K', k), tensor(folder, 'V', v)};
    problem p = simple_problem(q[1], k[1], q[2], v[2], 1);
    p.heads = q[0], p.kv_heads = k[0];
    ck_assert(p.heads == 12 && p.d == 32 && p.dv == 32 && p.n == p.m && v[1] == p.m && v[0] == p.heads);
    for (size_t i = 0; i < version_count; i++)
        for (p.block = 1; p.block <= p.m + 1; p.block++) {
            const problem right = right_block(&versions[i], p);
            expect_reference(&versions[i], &right, t, folder);
        }
    free_tensors(t);
}
END_TEST

Suite *tensors_suite(void)
{
    Suite *s = suite_create("tensors");
    TEST_CASE(s, model, 30);
    tcase_add_loop_test(model, every_version_on_a_real_model, 0, 4);
    return s;
}
