/* Fuzzing the .npy reader: libFuzzer makes up files, starting from those in tests/data/npy.
 *
 * Whatever the bytes are, the reader either refuses them with a sentence that can be printed, or it gives an array that
 * is read back the same after it was written. AddressSanitizer and UndefinedBehaviorSanitizer watch the way there, and
 * one allocation far larger than a file counts as a finding.
 *
 *     make fuzz SECONDS=60        needs clang; a finding is kept as a file, build/fuzz_npy FILE repeats it */
#define _POSIX_C_SOURCE 200809L /* fmemopen, open_memstream */
#undef NDEBUG
#include "../tools/npy.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int read_bytes(const void *bytes, size_t length, npy_array *array, char message[NPY_MESSAGE])
{
    FILE *const file = fmemopen((void *)bytes, length, "rb");
    assert(file);
    const int error = npy_read_stream(file, "file", array, message);
    fclose(file);
    return error;
}

static void check_round_trip(const npy_array *array, const char *descr)
{
    char message[NPY_MESSAGE], *bytes = NULL;
    size_t count = 1, product = 1, length = 0;
    for (size_t i = 0; i < array->dimensions; count *= array->shape[i++])
        if (array->shape[i] > 0) {
            assert(array->shape[i] <= SIZE_MAX / product);
            product *= array->shape[i];
        }
    double *const data = calloc(count + 1, sizeof *data);
    FILE *const file = open_memstream(&bytes, &length);
    assert(data && file);
    for (size_t i = 0; i < count; i++) data[i] = array->data[i];
    assert(npy_write_stream(file, "file", descr, array->dimensions, array->shape, data, message) == 0);
    fclose(file);

    npy_array again;
    assert(read_bytes(bytes, length, &again, message) == 0);
    assert(again.dimensions == array->dimensions && !memcmp(again.shape, array->shape, sizeof again.shape));
    for (size_t i = 0; i < count; i++) {
        const float x = array->data[i], y = again.data[i];
        assert((isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y)));
    }
    free(again.data), free(bytes), free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    npy_array array;
    char message[NPY_MESSAGE] = "";
    if (length == 0) return 0; /* not every fmemopen takes nothing */
    if (read_bytes(bytes, length, &array, message) == 0) {
        assert(!*message && array.data);
        check_round_trip(&array, "<f4");
        check_round_trip(&array, "<f8");
        free(array.data);
    } else {
        assert(!array.data && !strncmp(message, "file: ", 6) && strlen(message) < NPY_MESSAGE - 1);
        for (const char *c = message; *c; c++) assert(isprint((unsigned char)*c));
    }
    return 0;
}
