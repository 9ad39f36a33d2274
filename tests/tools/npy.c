/* The .npy format, from its first byte on:
 *
 *     magic            6 bytes    \x93NUMPY
 *     version          2 bytes    1.0, 2.0 or 3.0
 *     header length    2 bytes    little endian; 4 bytes from version 2.0 on
 *     header           text       {'descr': '<f4', 'fortran_order': False, 'shape': (16, 128), }
 *     data             the rest   as many elements as the shape says
 *
 * Each is checked before the next is believed. The header is a Python dictionary: these three keys in any order, these
 * kinds of value, nothing is evaluated. What is read and written, and the price, stands in npy.h. */
#define _POSIX_C_SOURCE 200809L /* getpid */
#include "npy.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAGIC = 6,
    HEADER = 10000, /* the longest header that np.load takes by default */
    QUOTE = 64      /* the longest piece of a file that a sentence shows */
};
enum { DESCR, FORTRAN_ORDER, SHAPE, FIELDS };

static const char magic[] = "\x93NUMPY", space[] = " \t\r\n\f";
static const char *const names[FIELDS] = {"descr", "fortran_order", "shape"};

typedef struct {
    FILE *file;
    size_t left; /* bytes of the file that were not read yet */
    const char *name;
    char *message;
} source;

typedef struct {
    char text[QUOTE + 8];
} quoted;

/* text as a sentence can show it: printable and not too long */
static quoted quote(const char *text)
{
    quoted q = {"nothing"};
    int at = 0;
    for (; *text && at < QUOTE; text++)
        at += snprintf(q.text + at, 5, isprint((unsigned char)*text) ? "%c" : "\\x%02x", (unsigned char)*text);
    if (*text) strcpy(q.text + at, "...");
    return q;
}

__attribute__((format(printf, 3, 4))) static int refuse(const source *s, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int at = snprintf(s->message, NPY_MESSAGE, "%.256s: ", s->name);
    vsnprintf(s->message + at, NPY_MESSAGE - (size_t)at, format, arguments);
    va_end(arguments);
    return error;
}

static int system_error(const source *s, const char *what)
{
    return refuse(s, errno, "cannot be %s: %s", what, strerror(errno));
}

static int take(source *s, size_t count, void *bytes)
{
    errno = EIO; /* for a file that became shorter meanwhile */
    if (fread(bytes, 1, count, s->file) != count) return system_error(s, "read");
    s->left -= count;
    return 0;
}

static uint64_t little_endian(const unsigned char bytes[], size_t count)
{
    uint64_t number = 0;
    while (count > 0) number = number << 8 | bytes[--count];
    return number;
}

/* magic, version and header length are checked, the header becomes a string */
static int read_header(source *s, char text[HEADER + 1])
{
    unsigned char start[12] = {0};
    int error = take(s, s->left < MAGIC ? s->left : MAGIC, start);
    if (error) return error;
    if (memcmp(start, magic, MAGIC) != 0)
        return refuse(s, EINVAL, "is no .npy file: magic is %s, expected %s", quote((char *)start).text,
                      quote(magic).text);
    if (s->left < sizeof start - MAGIC)
        return refuse(s, EINVAL, "header is cut off, %zu bytes follow the magic, expected a header and data", s->left);

    if ((error = take(s, 4, start + 6)) || (start[6] > 1 && (error = take(s, 2, start + 10)))) return error;
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return refuse(s, EINVAL, "version is %d.%d, expected 1.0, 2.0 or 3.0", start[6], start[7]);
    const size_t length = (size_t)little_endian(start + 8, 4), most = s->left < HEADER ? s->left : HEADER;
    if (length > most)
        return refuse(s, EINVAL, "header length is %zu, expected at most %zu (%s)", length, most,
                      most < HEADER ? "the file ends there" : "NumPy's own limit");
    text[length] = 0;
    if ((error = take(s, length, text))) return error;
    return strlen(text) == length ? 0 : refuse(s, EINVAL, "header has a zero byte, expected text");
}

/* Cuts off what stands before the next ',' ':' or '}' that no bracket or quote encloses, and the space around it.
 * Returns it; *end is the character it ended at, *at the place after that. */
static char *item(char **at, char *end)
{
    char *const text = *at + strspn(*at, space), *last = text, *c = text, quotes = 0;
    for (size_t depth = 0; *c && (depth || quotes || !strchr(",:}", *c)); c++) {
        if (quotes) quotes = *c == quotes ? 0 : quotes;
        else if (strchr("'\"", *c)) quotes = *c;
        else if (strchr("([{", *c)) depth++;
        else if (depth && strchr(")]}", *c)) depth--;
        if (!strchr(space, *c)) last = c + 1;
    }
    *end = *c;
    *at = *c ? c + 1 : c;
    *last = 0;
    return text;
}

static bool is_string(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strlen(text) == n + 2 && strchr("'\"", text[0]) && text[n + 1] == text[0] && !memcmp(text + 1, word, n);
}

/* the dictionary's three values, still as text */
static int split(const source *s, char *text, const char *value[FIELDS])
{
    char *at = text + strspn(text, space), end = *at;
    if (end != '{') return refuse(s, EINVAL, "header is %s, expected a dictionary in braces", quote(text).text);
    at++;
    while (end != '}') {
        const char *const key = item(&at, &end);
        size_t f = 0;
        if (end == '}' && !*key) break; /* after the last comma */
        while (f < FIELDS && !is_string(key, names[f])) f++;
        if (f == FIELDS || end != ':' || value[f])
            return refuse(s, EINVAL, "header has %s as a key, expected 'descr', 'fortran_order' and 'shape', each once"
                          " and with a value", quote(key).text);
        value[f] = item(&at, &end);
        if (end != ',' && end != '}')
            return refuse(s, EINVAL, "header has %s after the value of '%s', expected ',' or '}'",
                          quote((char[]){end, 0}).text, names[f]);
    }
    at += strspn(at, space);
    if (*at) return refuse(s, EINVAL, "header has %s after its '}', expected space only", quote(at).text);
    for (size_t f = 0; f < FIELDS; f++)
        if (!value[f]) return refuse(s, EINVAL, "header has no '%s', expected one", names[f]);
    return 0;
}

static int read_shape(const source *s, const char *text, npy_array *array)
{
    const char *at = text;
    bool tuple = *at == '(';
    if (tuple) at++;
    while (tuple && *(at += strspn(at, space)) != ')') {
        tuple = isdigit((unsigned char)*at); /* strtoull would take a sign */
        char *after;
        const unsigned long long size = strtoull(at, &after, 10);
        if (array->dimensions < NPY_DIMENSIONS)
            array->shape[array->dimensions] = size < SIZE_MAX ? (size_t)size : SIZE_MAX; /* overflows, found below */
        array->dimensions++;
        at = after + strspn(after, space);
        if (*at == ',') at++;
        else tuple = tuple && *at == ')';
    }
    if (!tuple || at[1]) return refuse(s, EINVAL, "shape is %s, expected a tuple of sizes", quote(text).text);
    if (array->dimensions < 2 || array->dimensions > NPY_DIMENSIONS)
        return refuse(s, EINVAL, "shape is %s, %zu-D, expected 2-D, 3-D or 4-D", quote(text).text, array->dimensions);
    return 0;
}

/* How many elements has the shape? The data must be exactly so long. */
static int count_elements(const source *s, const char *shape, const npy_array *array, size_t bytes, size_t *count)
{
    const size_t most = SIZE_MAX / sizeof(double); /* elements of any type: what is read can be written as float64 */
    size_t product = 1; /* of the sizes that are not zero */
    *count = 1;
    for (size_t i = 0; i < array->dimensions; i++) {
        const size_t size = array->shape[i] ? array->shape[i] : 1;
        if (size > most / product)
            return refuse(s, EOVERFLOW, "shape is %s, too many bytes to count, expected the %zu bytes of the data",
                          quote(shape).text, s->left);
        product *= size;
        *count *= array->shape[i];
    }
    if (s->left == *count * bytes) return 0;
    return refuse(s, EINVAL, "data is %zu bytes, expected %zu: shape %s, %zu bytes an element", s->left, *count * bytes,
                  quote(shape).text, bytes);
}

/* half precision: sign, 5 bits of exponent, 10 of fraction; exact in float32 */
static float half(unsigned bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                            : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                           : ldexpf((float)fraction, -24);
    return copysignf(magnitude, bits >> 15 ? -1.0F : 1.0F);
}

static float element(const unsigned char raw[], size_t bytes)
{
    const uint64_t bits = little_endian(raw, bytes);
    const uint32_t word = (uint32_t)bits;
    double d;
    float f;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &word, sizeof f);
    return bytes == 2 ? half(word) : bytes == 4 ? f : (float)d;
}

/* where the k-th element of Fortran order, first index fastest, lies in C order */
static size_t c_order(size_t k, size_t count, const npy_array *array)
{
    size_t at = 0, stride = count;
    for (size_t i = 0; i < array->dimensions; i++) {
        stride /= array->shape[i];
        at += k % array->shape[i] * stride;
        k /= array->shape[i];
    }
    return at;
}

static int read_data(source *s, size_t count, size_t bytes, bool fortran_order, npy_array *array)
{
    array->data = calloc(count ? count : 1, sizeof *array->data);
    if (!array->data) return refuse(s, ENOMEM, "data has %zu elements, no memory for them", count);
    for (size_t k = 0; k < count; k++) {
        unsigned char raw[8];
        const int error = take(s, bytes, raw);
        if (error) return free(array->data), array->data = NULL, error;
        array->data[fortran_order ? c_order(k, count, array) : k] = element(raw, bytes);
    }
    return 0;
}

int npy_read_stream(FILE *file, const char *name, npy_array *array, char message[NPY_MESSAGE])
{
    source s = {file, 0, name, message};
    char header[HEADER + 1];
    const char *value[FIELDS] = {0};
    size_t count;
    long length;
    int error;

    *array = (npy_array){0};
    if (fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
        return system_error(&s, "measured (is it a file on a disk?)");
    s.left = (size_t)length;
    if ((error = read_header(&s, header)) || (error = split(&s, header, value))) return error;

    const char *const descr = value[DESCR], *const order = value[FORTRAN_ORDER], *const shape = value[SHAPE];
    const size_t bytes = is_string(descr, "<f2") ? 2 : is_string(descr, "<f4") ? 4 : is_string(descr, "<f8") ? 8 : 0;
    const bool fortran = !strcmp(order, "True");
    if (is_string(descr, "|V2"))
        return refuse(&s, EINVAL, "descr is '|V2', as NumPy saves bfloat16: save x.astype(np.float32), in PyTorch "
                      "x.float()");
    if (!bytes)
        return refuse(&s, EINVAL, "descr is %s, expected float16, float32 or float64 ('<f2', '<f4', '<f8')",
                      quote(descr).text);
    if (!fortran && strcmp(order, "False") != 0)
        return refuse(&s, EINVAL, "fortran_order is %s, expected True or False", quote(order).text);
    if ((error = read_shape(&s, shape, array)) || (error = count_elements(&s, shape, array, bytes, &count)))
        return error;
    return read_data(&s, count, bytes, fortran, array);
}

int npy_read(const char *path, npy_array *array, char message[NPY_MESSAGE])
{
    *array = (npy_array){0};
    FILE *const file = fopen(path, "rb");
    if (!file) return system_error(&(source){.name = path, .message = message}, "read");
    const int error = npy_read_stream(file, path, array, message);
    fclose(file);
    return error;
}

static void put(FILE *file, size_t count, uint64_t number)
{
    for (; count > 0; count--, number >>= 8) putc((int)(number & 255), file);
}

int npy_write_stream(FILE *file, const char *name, const char *descr, size_t dimensions, const size_t shape[],
                     const double data[], char message[NPY_MESSAGE])
{
    const source s = {file, 0, name, message};
    const bool single = !strcmp(descr, "<f4");
    if ((!single && strcmp(descr, "<f8") != 0) || dimensions < 2 || dimensions > NPY_DIMENSIONS)
        return refuse(&s, EINVAL, "descr is '%s', %zu-D, expected '<f4' or '<f8', 2-D to 4-D", descr, dimensions);

    char sizes[NPY_DIMENSIONS * 24], header[192]; /* a size has at most 20 digits */
    size_t count = 1;
    for (size_t i = 0, at = 0; i < dimensions; count *= shape[i++])
        at += (size_t)snprintf(sizes + at, sizeof sizes - at, "%s%zu", i ? ", " : "", shape[i]);
    const int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                                descr, sizes);
    const int spaces = 63 - (MAGIC + 4 + length) % 64; /* before the newline: the data begins at a multiple of 64 */
    errno = EIO; /* should a write fail without a word */
    fputs(magic, file);
    put(file, 2, 1);
    put(file, 2, (uint64_t)(length + spaces + 1));
    fprintf(file, "%s%*s\n", header, spaces, "");

    for (size_t k = 0; k < count; k++) {
        const float narrow = (float)data[k];
        uint64_t bits;
        uint32_t word;
        memcpy(&bits, &data[k], sizeof bits);
        memcpy(&word, &narrow, sizeof word);
        put(file, single ? 4 : 8, single ? word : bits);
    }
    return fflush(file) || ferror(file) ? system_error(&s, "written") : 0;
}

int npy_write(const char *path, const char *descr, size_t dimensions, const size_t shape[], const double data[],
              char message[NPY_MESSAGE])
{
    const source s = {.name = path, .message = message};
    char part[4096];
    const int length = snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    errno = ENAMETOOLONG;
    FILE *const file = length < (int)sizeof part ? fopen(part, "wbx") : NULL;
    if (!file) return system_error(&s, "written");
    int error = npy_write_stream(file, path, descr, dimensions, shape, data, message);
    if (fclose(file) && !error) error = system_error(&s, "written");
    if (!error && rename(part, path)) error = system_error(&s, "written");
    if (error) remove(part);
    return error;
}
