/* Tests of the .npy reader: NumPy's own files, files built here byte by byte, and what must be refused.
 *
 * Run by `make test`. The files in tests/data/npy were written by NumPy; two were then spoilt, a shape that overflows
 * and data cut short. In those that can be read the element at position k in C order is k. fuzz_npy.c starts there. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "../tools/npy.h"

#include <check.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA "tests/data/"
#define FILES DATA "npy/"

#define DICTIONARY(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"
#define PLAIN DICTIONARY("'<f4'", "False", "(2, 3)")
#define WITH_DESCR(descr) DICTIONARY(descr, "False", "(2, 3)")
#define WITH_ORDER(order) DICTIONARY("'<f4'", order, "(2, 3)")
#define WITH_SHAPE(shape) DICTIONARY("'<f4'", "False", shape)
#define TYPES "expected float16, float32 or float64 ('<f2', '<f4', '<f8')"
#define KEYS "expected 'descr', 'fortran_order' and 'shape', each once and with a value"
#define LENGTH(array) (sizeof(array) / sizeof *(array))

Suite *npy_suite(void);

static char message[NPY_MESSAGE];

static int read_bytes(const void *bytes, size_t length, npy_array *array)
{
    FILE *const file = fmemopen((void *)bytes, length, "rb");
    ck_assert_ptr_nonnull(file);
    const int error = npy_read_stream(file, "Q.npy", array, message);
    fclose(file);
    return error;
}

/* a whole file: the given header, then count elements of so many bytes, whose bits are given */
static int read_built(int version, const char *header, size_t count, size_t bytes, const uint64_t bits[],
                      npy_array *array)
{
    static unsigned char file[1 << 20];
    const size_t length = strlen(header);
    size_t at = (size_t)sprintf((char *)file, "\x93NUMPY%c", version);
    file[at++] = 0;
    for (size_t i = 0; i < (version == 1 ? 2 : 4); i++) file[at++] = length >> 8 * i & 255;
    memcpy(file + at, header, length);
    at += length;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < bytes; i++) file[at++] = bits[k] >> 8 * i & 255;
    return read_bytes(file, at, array);
}

static uint64_t bits_of(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static uint64_t bits_of_double(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static const struct {
    const char *file;
    size_t dimensions, shape[4];
} from_numpy[] = {
    {"float16", 2, {3, 4}},
    {"float32", 2, {2, 3}},
    {"float64_fortran_3d", 3, {2, 3, 2}},
    {"float32_fortran_4d", 4, {2, 2, 3, 2}},
    {"float16_version_2", 3, {1, 2, 3}},
    {"float64_version_3", 4, {2, 2, 1, 1}},
    {"no_rows", 2, {0, 3}},
};

START_TEST(files_of_numpy)
{
    char path[64];
    npy_array a;
    size_t count = 1;
    snprintf(path, sizeof path, FILES "%s.npy", from_numpy[_i].file);
    ck_assert_msg(npy_read(path, &a, message) == 0, "%s", message);
    ck_assert_uint_eq(a.dimensions, from_numpy[_i].dimensions);
    for (size_t i = 0; i < NPY_DIMENSIONS; i++) ck_assert_uint_eq(a.shape[i], from_numpy[_i].shape[i]);
    for (size_t i = 0; i < a.dimensions; i++) count *= a.shape[i];
    ck_assert_ptr_nonnull(a.data);
    for (size_t k = 0; k < count; k++) ck_assert_float_eq(a.data[k], (float)k);
    free(a.data);
}
END_TEST

static const struct {
    const char *file, *sentence;
    int error;
} refused_files[] = {
    {"int64", "descr is '<i8', " TYPES, EINVAL},
    {"big_endian", "descr is '>f4', " TYPES, EINVAL},
    {"structure_version_3", "descr is [('gr\\xc3\\xb6\\xc3\\x9fe', '<f4')], " TYPES, EINVAL},
    {"0d", "shape is (), 0-D, expected 2-D, 3-D or 4-D", EINVAL},
    {"1d", "shape is (3,), 1-D, expected 2-D, 3-D or 4-D", EINVAL},
    {"5d", "shape is (1, 1, 2, 1, 1), 5-D, expected 2-D, 3-D or 4-D", EINVAL},
    {"five_bytes_short", "data is 19 bytes, expected 24: shape (2, 3), 4 bytes an element", EINVAL},
    {"bytes_wrap_to_24",
     "shape is (4611686018427387910, 1), too many bytes to count, expected the 24 bytes of the data", EOVERFLOW},
};

START_TEST(files_that_are_refused)
{
    char path[64], sentence[NPY_MESSAGE];
    npy_array a;
    snprintf(path, sizeof path, FILES "%s.npy", refused_files[_i].file);
    snprintf(sentence, sizeof sentence, "%s: %s", path, refused_files[_i].sentence);
    ck_assert_int_eq(npy_read(path, &a, message), refused_files[_i].error);
    ck_assert_str_eq(message, sentence);
    ck_assert_ptr_null(a.data);
}
END_TEST

/* Headers with 24 bytes of data behind them. The two huge shapes differ: the bytes of the first overflow, those of the
 * second do not and no system has them. Who asks for memory before comparing gets ENOMEM there. */
static const struct {
    const char *header, *sentence;
    int error;
} refused_headers[] = {
    {"", "header is nothing, expected a dictionary in braces", EINVAL},
    {"[1]", "header is [1], expected a dictionary in braces", EINVAL},
    {"{", "header has nothing as a key, " KEYS, EINVAL},
    {"{,}", "header has nothing as a key, " KEYS, EINVAL},
    {"{}", "header has no 'descr', expected one", EINVAL},
    {"{'descr': '<f4', 'shape': (2, 3)}", "header has no 'fortran_order', expected one", EINVAL},
    {"{'descr': '<f4', 'fortran_order': False}", "header has no 'shape', expected one", EINVAL},
    {"{'descr': '<f4', 'descr': '<f4'}", "header has 'descr' as a key, " KEYS, EINVAL},
    {"{'descr', '<f4'}", "header has 'descr' as a key, " KEYS, EINVAL},
    {"{descr: '<f4'}", "header has descr as a key, " KEYS, EINVAL},
    {"{'descr\": '<f4'}", "header has 'descr\": '<f4'} as a key, " KEYS, EINVAL},
    {"{'order': 'C'}", "header has 'order' as a key, " KEYS, EINVAL},
    {"{'descr': '<f4',, }", "header has nothing as a key, " KEYS, EINVAL},
    {"{'descr': '<f4': 1}", "header has : after the value of 'descr', expected ',' or '}'", EINVAL},
    {"{'descr': '<f4'", "header has nothing after the value of 'descr', expected ',' or '}'", EINVAL},
    {PLAIN " \n x", "header has x after its '}', expected space only", EINVAL},
    {PLAIN "}", "header has } after its '}', expected space only", EINVAL},
    {WITH_DESCR(""), "descr is nothing, " TYPES, EINVAL},
    {WITH_DESCR("<f4"), "descr is <f4, " TYPES, EINVAL},
    {WITH_DESCR("'=f4'"), "descr is '=f4', " TYPES, EINVAL},
    {WITH_DESCR("'|V2'"), "descr is '|V2', as NumPy saves bfloat16: save x.astype(np.float32), in PyTorch x.float()",
     EINVAL},
    {WITH_DESCR("'<f4 '"), "descr is '<f4 ', " TYPES, EINVAL},
    {WITH_DESCR("'\x1b[31m'"), "descr is '\\x1b[31m', " TYPES, EINVAL},
    {WITH_ORDER("1"), "fortran_order is 1, expected True or False", EINVAL},
    {WITH_ORDER("'True'"), "fortran_order is 'True', expected True or False", EINVAL},
    {WITH_SHAPE(""), "shape is nothing, expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("6"), "shape is 6, expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("[2, 3]"), "shape is [2, 3], expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, -3)"), "shape is (2, -3), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, +3)"), "shape is (2, +3), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2 3)"), "shape is (2 3), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2,, 3)"), "shape is (2,, 3), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, 0x3)"), "shape is (2, 0x3), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, 3.0)"), "shape is (2, 3.0), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, 3) + ()"), "shape is (2, 3) + (), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, (3))"), "shape is (2, (3)), expected a tuple of sizes", EINVAL},
    {WITH_SHAPE("(2, 2)"),
     "data is 24 bytes, expected 16: shape (2, 2), 4 bytes an element", EINVAL},
    {WITH_SHAPE("(0, 3)"),
     "data is 24 bytes, expected 0: shape (0, 3), 4 bytes an element", EINVAL},
    {WITH_SHAPE("(4611686018427387904, 8)"),
     "shape is (4611686018427387904, 8), too many bytes to count, expected the 24 bytes of the data", EOVERFLOW},
    {WITH_SHAPE("(144115188075855872, 8)"),
     "data is 24 bytes, expected 4611686018427387904: shape (144115188075855872, 8), 4 bytes an element", EINVAL},
    {WITH_SHAPE("(4611686018427381871, 0)"), /* none of its elements is there, and as float64 they would overflow */
     "shape is (4611686018427381871, 0), too many bytes to count, expected the 24 bytes of the data", EOVERFLOW},
    {WITH_SHAPE("(0, 4611686018427387904, 8)"),
     "shape is (0, 4611686018427387904, 8), too many bytes to count, expected the 24 bytes of the data", EOVERFLOW},
    {DICTIONARY("'<f2'", "False", "(1, 99999999999999999999999)"),
     "shape is (1, 99999999999999999999999), too many bytes to count, expected the 24 bytes of the data", EOVERFLOW},
};

START_TEST(headers_that_are_refused)
{
    npy_array a;
    const uint64_t data[6] = {0};
    ck_assert_int_eq(read_built(1, refused_headers[_i].header, 6, 4, data, &a), refused_headers[_i].error);
    ck_assert_int_eq(strncmp(message, "Q.npy: ", 7), 0);
    ck_assert_str_eq(message + 7, refused_headers[_i].sentence);
    ck_assert_ptr_null(a.data);
}
END_TEST

#define BYTES(text) text, sizeof text - 1
static const struct {
    const char *bytes;
    size_t length;
    const char *sentence;
} refused_starts[] = {
    {BYTES("\x93NUM"), "is no .npy file: magic is \\x93NUM, expected \\x93NUMPY"},
    {BYTES("1.0 2.0\n3.0 4.0\n"), "is no .npy file: magic is 1.0 2., expected \\x93NUMPY"},
    {BYTES("PK\3\4\24\0\0\0"), "is no .npy file: magic is PK\\x03\\x04\\x14, expected \\x93NUMPY"},
    {BYTES("\x93NUMPY\1\0\0"), "header is cut off, 3 bytes follow the magic, expected a header and data"},
    {BYTES("\x93NUMPY\0\1\0\0{}"), "version is 0.1, expected 1.0, 2.0 or 3.0"},
    {BYTES("\x93NUMPY\1\1\2\0{}"), "version is 1.1, expected 1.0, 2.0 or 3.0"},
    {BYTES("\x93NUMPY\4\0\0\0\0\0"), "version is 4.0, expected 1.0, 2.0 or 3.0"},
    {BYTES("\x93NUMPY\1\0\3\0{}"), "header length is 3, expected at most 2 (the file ends there)"},
    {BYTES("\x93NUMPY\2\0\2\0\0\1{}"), "header length is 16777218, expected at most 2 (the file ends there)"},
    {BYTES("\x93NUMPY\1\0\2\0{\0"), "header has a zero byte, expected text"},
};

START_TEST(starts_that_are_refused)
{
    npy_array a;
    ck_assert_int_eq(read_bytes(refused_starts[_i].bytes, refused_starts[_i].length, &a), EINVAL);
    ck_assert_int_eq(strncmp(message, "Q.npy: ", 7), 0);
    ck_assert_str_eq(message + 7, refused_starts[_i].sentence);
    ck_assert_ptr_null(a.data);
}
END_TEST

START_TEST(headers_as_others_write_them)
{
    static const char *const headers[] = {
        PLAIN, "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
        " {\n\t'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , }   \n"};
    const uint64_t data[6] = {bits_of(0), bits_of(1), bits_of(2), bits_of(3), bits_of(4), bits_of(5)};
    for (size_t i = 0; i < LENGTH(headers); i++)
        for (int version = 1; version <= 3; version++) {
            npy_array a;
            ck_assert_msg(read_built(version, headers[i], 6, 4, data, &a) == 0, "%s", message);
            ck_assert(a.dimensions == 2 && a.shape[0] == 2 && a.shape[1] == 3);
            for (int k = 0; k < 6; k++) ck_assert_float_eq(a.data[k], (float)k);
            free(a.data);
        }
}
END_TEST

START_TEST(longest_header)
{
    char header[10002], *const end = header + sizeof header - 1;
    npy_array a;
    memset(header, ' ', sizeof header);
    memcpy(header, PLAIN, strlen(PLAIN));
    *end = 0;
    ck_assert_int_eq(read_built(2, header, 6, 4, (uint64_t[6]){0}, &a), EINVAL);
    ck_assert_str_eq(message, "Q.npy: header length is 10001, expected at most 10000 (NumPy's own limit)");
    end[-1] = 0;
    ck_assert_msg(read_built(2, header, 6, 4, (uint64_t[6]){0}, &a) == 0, "%s", message);
    free(a.data);
}
END_TEST

START_TEST(sentences_stay_short_and_printable)
{
    char header[5000], name[5000];
    npy_array a;
    memset(header, '\x9b', sizeof header - 1);
    header[sizeof header - 1] = 0;
    ck_assert_int_eq(read_built(1, header, 0, 0, NULL, &a), EINVAL);
    ck_assert_uint_lt(strlen(message), 160);
    ck_assert_ptr_nonnull(strstr(message, "\\x9b..., expected a dictionary"));
    for (const char *c = message; *c; c++) ck_assert(isprint((unsigned char)*c));

    memset(name, 'Q', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ck_assert_int_eq(npy_read(name, &a, message), ENAMETOOLONG);
    ck_assert_ptr_nonnull(strstr(message, strerror(ENAMETOOLONG)));
}
END_TEST

START_TEST(fortran_order) /* written column by column, read as rows */
{
    const uint64_t columns[6] = {bits_of(0), bits_of(1), bits_of(2), bits_of(3), bits_of(4), bits_of(5)};
    const float rows[6] = {0, 2, 4, 1, 3, 5};
    npy_array a;
    ck_assert_int_eq(read_built(1, WITH_ORDER("True"), 6, 4, columns, &a), 0);
    for (int k = 0; k < 6; k++) ck_assert_float_eq(a.data[k], rows[k]);
    free(a.data);
}
END_TEST

START_TEST(every_float16)
{
    static uint64_t bits[65536];
    npy_array a;
    for (size_t k = 0; k < 65536; k++) bits[k] = k;
    ck_assert_int_eq(read_built(1, DICTIONARY("'<f2'", "False", "(1, 65536)"), 65536, 2, bits, &a), 0);
    ck_assert_float_eq(a.data[0x0001], 0x1p-24F);
    ck_assert_float_eq(a.data[0x0400], 0x1p-14F);
    ck_assert_float_eq(a.data[0x3C00], 1.0F);
    ck_assert_float_eq(a.data[0x7BFF], 65504.0F);
    float value = 0; /* the grid: from one number to the next it is 2^-24, from 2^-13 on twice as much each octave */
    for (int k = 0; k < 0x7C00; k++) {
        ck_assert(a.data[k] == value && a.data[k + 0x8000] == -value);
        ck_assert(!signbit(a.data[k]) && signbit(a.data[k + 0x8000]));
        value += ldexpf(0x1p-24F, k < 0x400 ? 0 : (k >> 10) - 1);
    }
    ck_assert(a.data[0x7C00] == INFINITY && a.data[0xFC00] == -INFINITY);
    for (int k = 0x7C01; k < 0x8000; k++) ck_assert(isnan(a.data[k]) && isnan(a.data[k + 0x8000]));
    free(a.data);
}
END_TEST

START_TEST(float32_as_it_is)
{
    static const uint64_t bits[] = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800001,
                                    0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 0x00400000};
    npy_array a;
    ck_assert_int_eq(read_built(1, WITH_SHAPE("(2, 6)"), 12, 4, bits, &a), 0);
    for (int k = 0; k < 12; k++) ck_assert_uint_eq(bits_of(a.data[k]), bits[k]);
    free(a.data);
}
END_TEST

START_TEST(float64_rounded_to_nearest)
{
    static const struct {
        double from;
        float to;
    } x[] = {{0.1, 0.1F}, {1 + 0x1p-24, 1}, {1 + 0x3p-24, 1 + 0x1p-22F}, {1 + 0x1.000002p-24, 1 + 0x1p-23F},
             {0x1p-149, 0x1p-149F}, {0x1p-150, 0}, {0x1.8p-149, 0x1p-148F}, {0x1.FFFFFEp127, 0x1.FFFFFEp127F},
             {1e300, INFINITY}, {-1e300, -INFINITY}, {-INFINITY, -INFINITY}, {-0.0, -0.0F}};
    uint64_t bits[LENGTH(x)];
    npy_array a;
    for (size_t k = 0; k < LENGTH(x); k++) bits[k] = bits_of_double(x[k].from);
    ck_assert_int_eq(read_built(1, DICTIONARY("'<f8'", "False", "(2, 6)"), LENGTH(x), 8, bits, &a), 0);
    for (size_t k = 0; k < LENGTH(x); k++) ck_assert_uint_eq(bits_of(a.data[k]), bits_of(x[k].to));
    free(a.data);

    bits[0] = bits_of_double(NAN);
    ck_assert_int_eq(read_built(1, DICTIONARY("'<f8'", "False", "(1, 1)"), 1, 8, bits, &a), 0);
    ck_assert(isnan(a.data[0]));
    free(a.data);
}
END_TEST

START_TEST(where_nothing_can_be_read)
{
    npy_array a;
    char sentence[NPY_MESSAGE];
    snprintf(sentence, sizeof sentence, "nobody.npy: cannot be read: %s", strerror(ENOENT));
    ck_assert_int_eq(npy_read("nobody.npy", &a, message), ENOENT);
    ck_assert_str_eq(message, sentence);
    ck_assert_ptr_null(a.data);

    snprintf(sentence, sizeof sentence, "tests: cannot be read: %s", strerror(EISDIR));
    ck_assert_int_eq(npy_read("tests", &a, message), EISDIR);
    ck_assert_str_eq(message, sentence);

    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    FILE *const file = fdopen(ends[0], "rb");
    ck_assert_int_eq(npy_read_stream(file, "a pipe", &a, message), ESPIPE);
    snprintf(sentence, sizeof sentence, "a pipe: cannot be measured (is it a file on a disk?): %s", strerror(ESPIPE));
    ck_assert_str_eq(message, sentence);
    fclose(file), close(ends[1]);
}
END_TEST

Suite *npy_suite(void)
{
    Suite *const suite = suite_create("npy");
    TCase *const c = tcase_create("npy");
    tcase_add_loop_test(c, files_of_numpy, 0, (int)LENGTH(from_numpy));
    tcase_add_loop_test(c, files_that_are_refused, 0, (int)LENGTH(refused_files));
    tcase_add_loop_test(c, headers_that_are_refused, 0, (int)LENGTH(refused_headers));
    tcase_add_loop_test(c, starts_that_are_refused, 0, (int)LENGTH(refused_starts));
    tcase_add_test(c, headers_as_others_write_them);
    tcase_add_test(c, longest_header);
    tcase_add_test(c, sentences_stay_short_and_printable);
    tcase_add_test(c, fortran_order);
    tcase_add_test(c, every_float16);
    tcase_add_test(c, float32_as_it_is);
    tcase_add_test(c, float64_rounded_to_nearest);
    tcase_add_test(c, where_nothing_can_be_read);
    suite_add_tcase(suite, c);
    return suite;
}
