/* Tests of the .npy writer: read back, compared with NumPy's bytes, and nothing half written. */
#define _POSIX_C_SOURCE 200809L /* fmemopen, setrlimit */
#include "../tools/npy.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define DATA "tests/data/"
#define OUT "build/test_npy.npy"

Suite *npy_write_suite(void);

static char message[NPY_MESSAGE];

START_TEST(round_trip)
{
    static const size_t shapes[][4] = {{2, 3}, {0, 5}, {5, 0}, {7, 1, 4}, {2, 0, 3}, {2, 3, 2, 5}, {1, 1, 1, 1}};
    static const size_t dimensions[] = {2, 2, 2, 3, 3, 4, 4};
    double data[60] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-149, 0x1.FFFFFEp127};
    for (int k = 6; k < 60; k++) data[k] = 0.375 * k;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const size_t *const shape = shapes[i / 2], n = dimensions[i / 2];
        npy_array a;
        size_t count = 1;
        for (size_t j = 0; j < n; j++) count *= shape[j];
        ck_assert_msg(npy_write(OUT, i % 2 ? "<f8" : "<f4", n, shape, data, message) == 0, "%s", message);
        ck_assert_msg(npy_read(OUT, &a, message) == 0, "%s", message);
        ck_assert(a.dimensions == n && !memcmp(a.shape, shape, n * sizeof *shape));
        if (count > 0) ck_assert(isnan(a.data[0]));
        for (size_t k = 1; k < count; k++) {
            const float narrow = (float)data[k];
            ck_assert_mem_eq(&a.data[k], &narrow, sizeof narrow);
        }
        free(a.data);
    }
    remove(OUT);
}
END_TEST

static size_t slurp(const char *path, char *bytes, size_t most)
{
    FILE *const file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t length = fread(bytes, 1, most, file);
    fclose(file);
    return length;
}

START_TEST(written_as_numpy_writes) /* to the byte */
{
    static const char *const files[] = {DATA "article/K.npy", DATA "article/O.npy"}, *const descr[] = {"<f4", "<f8"};
    static char ours[1 << 16], numpys[1 << 16];
    const size_t shape[2][2] = {{64, 128}, {16, 32}};
    for (int i = 0; i < 2; i++) {
        const size_t length = slurp(files[i], numpys, sizeof numpys), count = shape[i][0] * shape[i][1];
        double *const data = malloc(count * sizeof *data);
        npy_array a;
        ck_assert_msg(npy_read(files[i], &a, message) == 0, "%s", message);
        for (size_t k = 0; k < count; k++) data[k] = a.data[k];
        if (i == 1) memcpy(data, numpys + length - count * sizeof *data, count * sizeof *data); /* float64 as it lies */
        ck_assert_msg(npy_write(OUT, descr[i], 2, shape[i], data, message) == 0, "%s", message);
        ck_assert_uint_eq(slurp(OUT, ours, sizeof ours), length);
        ck_assert_mem_eq(ours, numpys, length);
        free(data), free(a.data);
    }
    remove(OUT);
}
END_TEST

static void assert_no_part(const char *path)
{
    char part[128];
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    ck_assert_int_ne(access(part, F_OK), 0);
}

START_TEST(a_full_disk_leaves_the_old_file)
{
    static const double data[100] = {1, 2, 3};
    char before[200], after[200];
    struct rlimit limit;
    ck_assert_int_eq(npy_write(OUT, "<f4", 2, (size_t[]){1, 3}, data, message), 0);
    const size_t length = slurp(OUT, before, sizeof before);

    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){300, limit.rlim_max});
    const int error = npy_write(OUT, "<f4", 2, (size_t[]){10, 10}, data, message);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);

    ck_assert_int_eq(error, EFBIG);
    ck_assert_int_eq(strncmp(message, OUT ": cannot be written: ", strlen(OUT) + 21), 0);
    ck_assert_str_eq(message + strlen(OUT) + 21, strerror(EFBIG));
    assert_no_part(OUT);
    ck_assert_uint_eq(slurp(OUT, after, sizeof after), length);
    ck_assert_mem_eq(before, after, length);
    remove(OUT);
}
END_TEST

START_TEST(where_nothing_can_be_written)
{
    static const double data[6] = {0};
    static const size_t shape[5] = {2, 3, 1, 1, 1};
    char name[5000];
    ck_assert_int_eq(npy_write("build/no such folder/O.npy", "<f4", 2, shape, data, message), ENOENT);
    ck_assert_ptr_nonnull(strstr(message, "build/no such folder/O.npy: cannot be written: "));
    ck_assert_int_ne(npy_write("tests", "<f4", 2, shape, data, message), 0); /* a folder is not replaced */
    ck_assert_int_eq(strncmp(message, "tests: cannot be written: ", 26), 0);
    assert_no_part("tests");
    for (int i = 0; i < 4088; i++) name[i] = i % 2 ? '/' : '.'; /* ././. .. /O.npy: its neighbour's name is too long */
    strcpy(name + 4088, "O.npy");
    ck_assert_int_eq(npy_write(name, "<f4", 2, shape, data, message), ENAMETOOLONG);
    ck_assert_int_ne(access("O.npy", F_OK), 0);

    char small[64];
    FILE *const file = fmemopen(small, sizeof small, "wb");
    const int error = npy_write_stream(file, "small", "<f4", 2, shape, data, message);
    ck_assert(error == ENOSPC || error == EIO); /* C libraries differ */
    ck_assert_ptr_nonnull(strstr(message, "small: cannot be written: "));
    fclose(file);

    ck_assert_int_eq(npy_write(OUT, "<f2", 2, shape, data, message), EINVAL);
    ck_assert_str_eq(message, OUT ": descr is '<f2', 2-D, expected '<f4' or '<f8', 2-D to 4-D");
    ck_assert_int_eq(npy_write(OUT, "<f4", 1, shape, data, message), EINVAL);
    ck_assert_int_eq(npy_write(OUT, "<f4", 5, shape, data, message), EINVAL);
    assert_no_part(OUT);
    ck_assert_int_ne(access(OUT, F_OK), 0);
}
END_TEST

Suite *npy_write_suite(void)
{
    Suite *const suite = suite_create("npy_write");
    TCase *const c = tcase_create("npy_write");
    tcase_add_test(c, round_trip);
    tcase_add_test(c, written_as_numpy_writes);
    tcase_add_test(c, a_full_disk_leaves_the_old_file);
    tcase_add_test(c, where_nothing_can_be_written);
    suite_add_tcase(suite, c);
    return suite;
}
