/* Version 5's kernels, each of them, on whatever runs them here. The suites for all versions ask the flash kernel the
 * same questions as the others; here are the shapes at the edges of its tiles, the kernels beside it, and what only a
 * kernel can get wrong: the order of threads, more heads than a grid is wide, rounding to 16 bits.
 * Races and illegal addresses are looked for by `make test-cuda`. Without a C++ compiler this suite is empty. */
#include "expect.h"
#ifdef HAVE_CUDA
#include "../../05_cuda/attention.h"
#include "../../05_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "reference.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL(name, kernel)                                                                                           \
    static int name(const problem *p, const float *Q, const float *K, const float *V, double *O)                       \
    { return run_cuda_kernel(kernel, p, Q, K, V, O); }
KERNEL(naive, ATTENTION_NAIVE)
KERNEL(naive_float16, ATTENTION_NAIVE_FLOAT16)
KERNEL(naive_bfloat16, ATTENTION_NAIVE_BFLOAT16)
KERNEL(flash, ATTENTION_FLASH)
KERNEL(flash_mma_float16, ATTENTION_FLASH_MMA_FLOAT16)
KERNEL(flash_mma_bfloat16, ATTENTION_FLASH_MMA_BFLOAT16)

/* in the order of cuda_kernel */
static const version kernels[ATTENTION_KERNELS] = {
    {.name = "naive", .run = naive, .unit = 0x1p-24},
    {.name = "naive float16", .run = naive_float16, .unit = 0x1p-11},
    {.name = "naive bfloat16", .run = naive_bfloat16, .unit = 0x1p-8},
    {.name = "flash", .run = flash, .unit = 0x1p-24, .divides_last = true},
    {.name = "flash_mma float16", .run = flash_mma_float16, .unit = 0x1p-11, .divides_last = true},
    {.name = "flash_mma bfloat16", .run = flash_mma_bfloat16, .unit = 0x1p-8, .divides_last = true},
};
static bool on_tensor_cores(int kernel) { return kernel >= ATTENTION_FLASH_MMA_FLOAT16; }

/* ---- 16-bit numbers, by arithmetic and not by bits ---- */

/* x rounded to nearest even in that unit's type: 11 bits from 2^-14 to 65504, or 8 bits with float32's exponents */
static float rounded(float x, double unit)
{
    if (unit == 0x1p-24 || x == 0 || !isfinite(x)) return x;
    const int bits = unit == 0x1p-11 ? 11 : 8, least = unit == 0x1p-11 ? -14 : -126;
    const double step = ldexp(1, (ilogb(x) < least ? least : ilogb(x)) - bits + 1), y = nearbyint(x / step) * step;
    return fabs(y) > (bits == 11 ? 65504 : 3.39e38) ? (float)copysign(INFINITY, y) : (float)y;
}

static void round_all(float *x, size_t count, double unit)
{
    for (size_t i = 0; i < count; i++) x[i] = rounded(x[i], unit);
}

/* The tolerance rule with the plain safe version run in the type: P and O rounded, sums in float32 */
static double typed_tolerance(const problem *p, double unit, tensors t, const double *expected)
{
    float *s = need(p->m, sizeof *s);
    double error = 0, largest = 0;
    for (size_t i = 0; i < p->n; i++) {
        const size_t keys = visible_keys(p, i);
        float max = -INFINITY, sum = 0;
        for (size_t j = 0; j < keys; j++) {
            float dot = 0;
            for (size_t c = 0; c < p->d; c++) dot += t.Q[i * p->d + c] * t.K[j * p->d + c];
            max = fmaxf(max, s[j] = dot * (float)p->scale);
        }
        for (size_t j = 0; j < keys; j++) sum += s[j] = expf(s[j] - max);
        for (size_t c = 0; c < p->dv; c++) {
            float o = 0;
            for (size_t j = 0; j < keys; j++) o += rounded(s[j] / sum, unit) * t.V[j * p->dv + c];
            error = fmax(error, fabs(rounded(o, unit) - expected[i * p->dv + c]));
        }
    }
    for (size_t i = 0; i < p->m * p->dv; i++) largest = fmax(largest, fabs(t.V[i]));
    free(s);
    return 2 * error + 4 * unit * largest;
}

/* ---- shapes ---- */
static const size_t lengths[] = {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, 256};
static const size_t widths[] = {1, 3, 16, 46, 63, 64, 80, 128, 256};
enum { LENGTHS = sizeof lengths / sizeof *lengths, WIDTHS = sizeof widths / sizeof *widths };

static void expect_shape(const version *v, problem p, uint64_t *state)
{
    const tensors t = normal_tensors(&p, state);
    double *expected = need(outputs(&p), sizeof *expected);
    round_all(t.Q, p.n * p.d, v->unit), round_all(t.K, p.m * p.d, v->unit), round_all(t.V, p.m * p.dv, v->unit);
    reference(&p, t.Q, t.K, t.V, expected, NULL);
    expect_outputs(v, &p, t, expected, typed_tolerance(&p, v->unit, t, expected), "shape");
    free(expected), free_tensors(t);
}

/* d = dv and d and dv different, causal and not by turns */
START_TEST(flash_at_the_edges_of_its_tiles)
{
    uint64_t state = seed();
    const size_t d = widths[_i], other = widths[(_i * 5 + 2) % WIDTHS];
    for (size_t i = 0; i < LENGTHS; i++)
        for (size_t j = 0; j < LENGTHS; j++)
            for (int different = 0; different < 2; different++) {
                problem p = simple_problem(lengths[i], lengths[j], d, different ? other : d, 1);
                p.causal = (i + j / 2 + different) % 2;
                if ((i + j) % 2 == (size_t)different || p.n * p.m < 2048)
                    expect_shape(&kernels[ATTENTION_FLASH], p, &state);
            }
}
END_TEST

START_TEST(every_kernel_at_the_edges_of_its_tiles)
{
    static const size_t some[] = {1, 7, 33, 64, 65, 130}, d[] = {1, 16, 46, 64, 80, 128, 256};
    uint64_t state = seed();
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            for (size_t k = 0; k < 7; k++) {
                if (_i <= ATTENTION_NAIVE_BFLOAT16 && (i + j + k) % 3) continue; /* the baseline gets fewer */
                problem p = simple_problem(some[i], some[j], d[k], d[(i + j) % 2 ? k : (k * 3 + 1) % 7], 1);
                p.causal = (i + j * k) % 2;
                expect_shape(&kernels[_i], p, &state);
            }
}
END_TEST

/* ---- the policy, for every kernel ---- */

/* d = dv = 2 and Q = (1000, 1): the scores are 1000 base + s[j], exact in every type if base is a multiple of 1/8 */
static void expect_weights(int kernel, size_t m, float base, const float s[m], const float V[m], double expected,
                           const char *what)
{
    const version *v = &kernels[kernel];
    problem p = simple_problem(1, m, 2, 1, 1);
    p.scale = 1;
    const tensors t = {(float[]){1000, 1}, need(2 * m, sizeof *t.K), (float *)V};
    for (size_t j = 0; j < m; j++) t.K[2 * j] = base, t.K[2 * j + 1] = s[j];
    expect_outputs(v, &p, t, &expected, isfinite(expected) ? 16 * v->unit * fabs(expected) : 0, what);
    free(t.K);
}

START_TEST(scores_however_large)
{
    const float inf = INFINITY, V[] = {1, 2, 3, 4};
    const bool rounds_S = kernels[_i].unit != 0x1p-24 && !on_tensor_cores(_i); /* naive keeps S in 16 bits */
    if (!rounds_S) expect_weights(_i, 2, -245, (float[]){0, -1}, V, 1.268941421, "-245000 and -245001");
    if (!rounds_S) expect_weights(_i, 4, 104, (float[]){0, -1, -2, -3}, V, 1.507347265, "104000 and less");
    expect_weights(_i, 4, 0, (float[]){-200, -201, -202, -203}, V, 1.507347265, "-200 to -203");
    expect_weights(_i, 4, -10, (float[]){0, 0, 0, 0}, V, 2.5, "all -10000");
    expect_weights(_i, 4, 0, (float[]){-inf, -inf, 0, 0}, V, 3.5, "two of -inf");
    expect_weights(_i, 4, 0, (float[]){-inf, -inf, -inf, -inf}, V, NAN, "all -inf");
    expect_weights(_i, 4, 0, (float[]){0, inf, 0, 0}, V, NAN, "one of +inf");
    expect_weights(_i, 4, 0, (float[]){0, 0, NAN, -inf}, V, NAN, "one NaN");
    expect_weights(_i, 3, 0, (float[]){0, 0, 0}, (float[]){1, NAN, 3}, NAN, "NaN in V");
    expect_weights(_i, 2, 0, (float[]){0, -inf}, (float[]){1, NAN}, NAN, "NaN under a weight of 0");
    expect_weights(_i, 2, 0, (float[]){0, -inf}, (float[]){1, inf}, NAN, "infinity under a weight of 0");
}
END_TEST

START_TEST(a_first_tile_of_minus_infinity)
{
    float s[200], V[200];
    for (size_t j = 0; j < 200; j++) s[j] = j < 130 ? -INFINITY : 0, V[j] = j < 130 ? 7 : 2;
    expect_weights(_i, 200, 0, s, V, 2, "130 scores of -inf, then zeros");
    s[3] = NAN;
    expect_weights(_i, 200, 0, s, V, NAN, "a NaN among them");
}
END_TEST

/* Q = 0: every visible key weighs the same */
static void expect_means(int kernel, size_t n, size_t m, const float *V, const double *expected, const char *what)
{
    problem p = simple_problem(n, m, 1, 1, 1);
    p.causal = true;
    const tensors t = {need(n, sizeof *t.Q), need(m, sizeof *t.K), (float *)V};
    expect_outputs(&kernels[kernel], &p, t, expected, 0, what);
    free(t.Q), free(t.K);
}

START_TEST(causal_is_aligned_at_the_bottom_right)
{
    const float V[] = {1, 2, 3, 4, 5};
    expect_means(_i, 2, 5, V, (double[]){2.5, 3}, "n = 2, m = 5");
    expect_means(_i, 1, 5, V, (double[]){3}, "n = 1, m = 5");
    expect_means(_i, 5, 2, V, (double[]){0, 0, 0, 1, 1.5}, "n = 5, m = 2");
}
END_TEST

/* The last key is seen by the last query alone. In its value NaN stays there, but on tensor cores it reaches the rows
 * that share its tile: 0 times NaN. In the key itself it is selected away everywhere. */
START_TEST(nan_in_the_last_key)
{
    enum { N = 130, SHARED = 128 };
    const version *v = &kernels[_i];
    problem p = simple_problem(N, N, 1, 1, 1);
    p.causal = true;
    const tensors t = zero_tensors(&p);
    double O[N];
    for (size_t j = 0; j < N; j++) t.V[j] = 1;
    t.V[N - 1] = NAN;
    ck_assert_int_eq(v->run(&p, t.Q, t.K, t.V, O), 0);
    for (size_t i = 0; i < N - 1; i++)
        if (on_tensor_cores(_i) && i >= SHARED) ck_assert_msg(isnan(O[i]), "%s: row %zu: %g", v->name, i, O[i]);
        else ck_assert_msg(fabs(O[i] - 1) <= N * v->unit, "%s: row %zu: %g", v->name, i, O[i]);
    ck_assert(isnan(O[N - 1]));
    t.V[N - 1] = 1, t.K[N - 1] = NAN;
    ck_assert_int_eq(v->run(&p, t.Q, t.K, t.V, O), 0);
    for (size_t i = 0; i < N - 1; i++)
        ck_assert_msg(fabs(O[i] - 1) <= N * v->unit, "%s: row %zu: %g", v->name, i, O[i]);
    ck_assert(isnan(O[N - 1]));
    free_tensors(t);
}
END_TEST

/* ---- cases ---- */
START_TEST(ones_give_one)
{
    static const size_t m[] = {1, 2, 3, 17, 31, 32, 33, 2049, 4096}; /* beyond 2048 float16 cannot count in ones */
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
        const problem p = simple_problem(1, m[i], 1, 1, 1);
        const tensors t = zero_tensors(&p);
        for (size_t j = 0; j < m[i]; j++) t.V[j] = 1;
        expect_outputs(&kernels[_i], &p, t, (double[]){1}, kernels[_i].divides_last ? 0 : 8 * kernels[_i].unit, "ones");
        free_tensors(t);
    }
}
END_TEST

START_TEST(every_column_is_computed)
{
    double expected[256];
    const problem p = simple_problem(1, 2, 64, 256, 1);
    const tensors t = zero_tensors(&p);
    for (size_t c = 0; c < 256; c++) t.V[c] = t.V[256 + c] = expected[c] = (double)c;
    expect_outputs(&kernels[_i], &p, t, expected, 0, "V[:, c] = c");
    free_tensors(t);
}
END_TEST

/* With one key the weight is 1, so O is V rounded to the kernel's type */
START_TEST(rounding_to_16_bits)
{
    enum { HEADS = 256, WIDTH = 256 };
    const version *v = &kernels[_i];
    problem p = simple_problem(1, 1, 1, WIDTH, 1);
    p.batch = HEADS;
    const tensors t = zero_tensors(&p);
    const uint32_t known[] = {0x33000000, 0x33400000, 0x3dfffc2d, 0x477fefff, 0x477ff000, 0x3e89cdfa, 0x7fff8c22};
    double *expected = need(outputs(&p), sizeof *expected);
    uint64_t state = seed();
    for (size_t i = 0; i < outputs(&p); i++) { /* any upper half of a float; the lower often that of a tie */
        const uint32_t bits = i < 7 ? known[i] : (uint32_t)i << 16 | (uint32_t)(between(&state, 0, 3) << 14) |
                                                 (between(&state, 0, 1) ? 0 : (uint32_t)between(&state, 0, 0x3fff));
        memcpy(&t.V[i], &bits, sizeof bits);
        expected[i] = rounded(t.V[i], v->unit);
    }
    if (v->unit == 0x1p-11) {
        const double right[] = {0, 0x1p-24, 0.125, 65504, INFINITY};
        for (size_t i = 0; i < 5; i++) ck_assert(expected[i] == right[i]);
    }
    if (v->unit == 0x1p-8) ck_assert(expected[5] == 0.26953125);
    expect_outputs(v, &p, t, expected, 0, "rounded");
    free(expected), free_tensors(t);
}
END_TEST

/* ---- threads ---- */
START_TEST(the_order_of_threads_does_not_matter)
{
    problem p = simple_problem(256, 256, 64, 64, 1);
    uint64_t state = seed();
    const tensors t = normal_tensors(&p, &state);
    double *first = need(outputs(&p), sizeof *first), *O = need(outputs(&p), sizeof *O);
    for (int run = 0; run < 20; run++) {
        cuda_on_cpu.order = run < 2 ? run : CUDA_RANDOM;
        cuda_on_cpu.seed = run;
        p.causal = false;
        ck_assert_int_eq(kernels[_i].run(&p, t.Q, t.K, t.V, run ? O : first), 0);
        const bool same = run == 0 || !memcmp(first, O, outputs(&p) * sizeof *O);
        ck_assert_msg(same, "%s: run %d differs", kernels[_i].name, run);
    }
    free(first), free(O), free_tensors(t);
}
END_TEST

START_TEST(more_heads_than_a_grid_is_wide)
{
    static const cuda_kernel some[] = {ATTENTION_NAIVE, ATTENTION_FLASH, ATTENTION_FLASH_MMA_FLOAT16};
    const version *v = &kernels[some[_i]];
    problem p = simple_problem(1, 2, 1, 1, 1);
    p.batch = 2, p.heads = 32768, p.kv_heads = 16384;
    const tensors t = zero_tensors(&p);
    double *expected = need(outputs(&p), sizeof *expected);
    for (size_t h = 0; h < p.batch * p.kv_heads; h++)
        t.V[2 * h] = (float)(h % 251), t.V[2 * h + 1] = (float)(h % 251 + 2);
    for (size_t h = 0; h < p.batch * p.heads; h++) expected[h] = (double)(h / 2 % 251 + 1);
    expect_outputs(v, &p, t, expected, 0, "65,536 heads");
    free(expected), free_tensors(t);
}
END_TEST

/* ---- what is refused, and the sentence for it ---- */
static void expect_refusal(cuda_problem p, int kernel, int error, const char *sentence)
{
    const float x[4] = {1, 1, 1, 1};
    float O[4] = {7};
    ck_assert_int_eq(attention_cuda(&p, kernel, x, x, x, O), error);
    const char *said = attention_cuda_error();
    ck_assert_msg(strstr(said, sentence) != NULL, "'%s', expected '%s'", said, sentence);
    ck_assert(O[0] == 7);
}

START_TEST(impossible_problems_are_refused)
{
    const cuda_problem good = {1, 1, 1, 1, 1, 1, 1, 1, false};
    cuda_problem p = good;
    p.d = 257, expect_refusal(p, _i, EINVAL, "d = 257 and dv = 1 must lie between 1 and 256");
    p = good, p.dv = 300, expect_refusal(p, _i, EINVAL, "d = 1 and dv = 300");
    p = good, p.heads = 3, p.kv_heads = 2, expect_refusal(p, _i, EINVAL, "heads = 3 is not a multiple of kv_heads = 2");
    p = good, p.kv_heads = 0, expect_refusal(p, _i, EINVAL, "kv_heads = 0");
    p = good, p.n = SIZE_MAX / 8, expect_refusal(p, _i, EOVERFLOW, "more bytes than size_t can count");
    expect_refusal(good, ATTENTION_KERNELS, EINVAL, "there is no kernel number 6");
}
END_TEST
#endif

Suite *cuda_suite(void)
{
    Suite *s = suite_create("cuda");
#ifdef HAVE_CUDA
    TEST_CASE(s, shapes, 120);
    tcase_add_loop_test(shapes, flash_at_the_edges_of_its_tiles, 0, WIDTHS);
    tcase_add_loop_test(shapes, every_kernel_at_the_edges_of_its_tiles, 0, ATTENTION_KERNELS);
    TEST_CASE(s, every_kernel, 120);
    tcase_add_loop_test(every_kernel, scores_however_large, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, a_first_tile_of_minus_infinity, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, causal_is_aligned_at_the_bottom_right, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, nan_in_the_last_key, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, ones_give_one, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, every_column_is_computed, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, rounding_to_16_bits, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, the_order_of_threads_does_not_matter, 0, ATTENTION_KERNELS);
    tcase_add_loop_test(every_kernel, impossible_problems_are_refused, 0, ATTENTION_KERNELS);
    TEST_CASE(s, large_grids, 120);
    tcase_set_tags(large_grids, "grid"); /* a minute: make test-cuda */
    tcase_add_loop_test(large_grids, more_heads_than_a_grid_is_wide, 0, 3);
#endif
    return s;
}
