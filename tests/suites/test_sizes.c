/* More than 2^31 values: an index kept in an int ends there. The values are one megabyte that is mapped again and
 * again into 8 GiB of addresses, so that the test takes the time but not the memory. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _DARWIN_C_SOURCE
#include "expect.h"
#include "reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DV = 1 << 15, M = (1 << 16) + 1, WINDOW = 1 << 18 }; /* M DV = 2^31 + 2^15; WINDOW: floats, whole rows */
static const size_t window_bytes = WINDOW * sizeof(float), bytes = (size_t)M * DV * sizeof(float);

static float *repeated(const float window[WINDOW])
{
    FILE *f = tmpfile();
    ck_assert_msg(f && fwrite(window, window_bytes, 1, f) == 1 && fflush(f) == 0, "no room for a temporary file");
    const size_t windows = bytes / window_bytes + 1;
    char *V = mmap(NULL, windows * window_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t i = 0; i < windows && V != MAP_FAILED; i++)
        if (mmap(V + i * window_bytes, window_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(f), 0) == MAP_FAILED)
            V = MAP_FAILED;
    ck_assert_msg(V != MAP_FAILED, "8 GiB of addresses can't be had");
    fclose(f);
    return (float *)(void *)V;
}

/* all scores are 0 and all rows of V are the same: the result is that row */
START_TEST(indices_beyond_2_31)
{
    const version *v = &versions[_i];
    if (v->stage == 5) return; /* its widths end at 256 */
    problem p = right_block(v, simple_problem(1, M, 1, DV, 1024));
    float *window = need(WINDOW, sizeof *window);
    double *row = need(DV, sizeof *row);
    for (size_t i = 0; i < WINDOW; i++) window[i] = (float)(i % DV % 7);
    for (size_t c = 0; c < DV; c++) row[c] = (double)(c % 7);
    tensors t = {need(1, sizeof(float)), need(M, sizeof(float)), repeated(window)};
    expect_outputs(v, &p, t, row, 0.01, "more than 2^31 values"); /* so many float32 sums are right to three digits */
    munmap(t.V, (bytes / window_bytes + 1) * window_bytes);
    free(window), free(row), free(t.Q), free(t.K);
}
END_TEST

Suite *sizes_suite(void)
{
    Suite *s = suite_create("sizes");
    TEST_CASE(s, every_version, 120);
    tcase_add_loop_test(every_version, indices_beyond_2_31, 0, (int)version_count);
    return s;
}
