/* The ledger: every version on the same input, in one table.
 *
 *     build/ledger                        the article's experiment, plain and hot
 *     build/ledger Q.npy K.npy V.npy      anyone's own tensors: (n, d), (heads, n, d) or (batch, heads, n, d)
 *     build/ledger --help                 all options
 *
 * A row holds how many outputs are not finite, the largest deviation from float64, and the storage
 * beside inputs and outputs as counted by the allocator. It costs a float64 reference of the input,
 * which at large sizes is slower than any version. */
#include "../suites/article.h"
#include "../suites/counted.h"
#include "npy.h"
#include "../suites/reference.h"
#include "../suites/versions.h"
#undef malloc /* the ledger's own memory is not counted */
#undef calloc
#undef realloc
#undef free
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGE = 16384, LARGE_D = 64 };

static const char usage[] =
    "usage: build/ledger [--hot F] [--block B] [--causal] [--scale S] [--versions A-B] [--csv FILE] [--out DIR]\n"
    "                    [Q.npy K.npy V.npy]\n"
    "  --hot F         Q and K times F (without it and without files: F = 1, then F = 10)\n"
    "  --block B       keys in a block, at least 1 (16)\n"
    "  --causal        query i sees key j when j <= i + m - n; only versions that know it\n"
    "  --scale S       scores times S instead of 1 / sqrt(d); only versions that know it\n"
    "  --versions A-B  only versions A to B; --versions A: only A\n"
    "  --csv FILE      the rows also as comma-separated values\n"
    "  --out DIR       every version's result as DIR/O_<name>.npy (of the first F)";

typedef struct {
    double hot, scale;
    size_t block;
    long first, last; /* versions */
    bool one_heat, scaled, causal;
    const char *csv, *out, *files[3];
    int file_count;
} options;

typedef struct {
    problem p;
    size_t dimensions, shape[NPY_DIMENSIONS]; /* of O */
    npy_array Q, K, V;
} input;

typedef struct {
    const version *v;
    int error;
    size_t bytes, large_bytes, not_finite;
    double *O, deviation, from_safe;
} row;

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("ledger: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(stdout);
    _Exit(2); /* and not exit: what is still allocated is no leak */
}

/* ---- the command line ---- */

static double number(const char *option, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) fail("%s takes a finite number, not '%s'\n%s", option, text, usage);
    return x;
}

/* a whole number from least on */
static long whole(const char *option, const char *text, long least, char **end)
{
    errno = 0;
    const long x = strtol(text, end, 10);
    if (*end == text || errno || x < least)
        fail("%s takes a whole number, %ld or more, not '%s'\n%s", option, least, text, usage);
    return x;
}

static void parse_versions(options *o, const char *text)
{
    char *end;
    o->first = o->last = whole("--versions", text, 0, &end);
    if (*end == '-') o->last = whole("--versions", end + 1, o->first, &end);
    if (*end) fail("--versions takes A or A-B, not '%s'\n%s", text, usage);
}

static void parse_option(options *o, const char *name, const char *text)
{
    char *end = "";
    if (!strcmp(name, "--hot")) o->hot = number(name, text), o->one_heat = true;
    else if (!strcmp(name, "--block")) o->block = (size_t)whole(name, text, 1, &end);
    else if (!strcmp(name, "--scale")) o->scale = number(name, text), o->scaled = true;
    else if (!strcmp(name, "--versions")) parse_versions(o, text);
    else if (!strcmp(name, "--csv")) o->csv = text;
    else if (!strcmp(name, "--out")) o->out = text;
    else fail("there is no option '%s'\n%s", name, usage);
    if (*end) fail("%s takes a whole number, not '%s'\n%s", name, text, usage);
}

static options parse(int argc, char **argv)
{
    options o = {.hot = 1, .block = ARTICLE_BLOCK, .last = 99};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) puts(usage), exit(0);
        if (!strcmp(argv[i], "--causal")) o.causal = true;
        else if (!strncmp(argv[i], "--", 2)) {
            if (i + 1 == argc) fail("%s needs a value after it, or is unknown\n%s", argv[i], usage);
            parse_option(&o, argv[i], argv[i + 1]), i++;
        } else if (o.file_count == 3) fail("three files are taken, Q.npy K.npy V.npy, and '%s' is one more", argv[i]);
        else o.files[o.file_count++] = argv[i];
    }
    if (o.file_count % 3) fail("three files are taken, Q.npy K.npy V.npy, not %d", o.file_count);
    if (o.file_count) o.one_heat = true;
    return o;
}

/* ---- the input ---- */

static npy_array read_tensor(const char *path)
{
    npy_array a;
    char message[NPY_MESSAGE];
    if (npy_read(path, &a, message)) fail("%s", message);
    return a;
}

/* Two sizes that should agree */
static void agree(const char *file, const char *what, size_t found, const char *other, size_t expected)
{
    if (found != expected)
        fail("%s: shape: %s is %zu, expected %zu as in %s", file, what, found, expected, other);
}

static input read_input(const options *o)
{
    static const char *const article[] = {ARTICLE "Q.npy", ARTICLE "K.npy", ARTICLE "V.npy"};
    const char *const *file = o->file_count ? o->files : article;
    input in = {.Q = read_tensor(file[0]), .K = read_tensor(file[1]), .V = read_tensor(file[2])};
    const size_t D = in.Q.dimensions, *q = in.Q.shape + D, *k = in.K.shape + D, *v = in.V.shape + D;
    agree(file[1], "the number of dimensions", in.K.dimensions, file[0], D);
    agree(file[2], "the number of dimensions", in.V.dimensions, file[0], D);
    agree(file[1], "the row length d", k[-1], file[0], q[-1]);
    agree(file[2], "the number of keys m", v[-2], file[1], k[-2]);
    in.p = simple_problem(q[-2], k[-2], q[-1], v[-1], o->block);
    if (D >= 3) {
        in.p.heads = q[-3], in.p.kv_heads = k[-3];
        agree(file[2], "heads", v[-3], file[1], k[-3]);
    }
    if (D == 4) {
        in.p.batch = q[-4];
        agree(file[1], "batch", k[-4], file[0], q[-4]);
        agree(file[2], "batch", v[-4], file[0], q[-4]);
    }
    if (in.p.d == 0) fail("%s: shape: d is 0, expected at least 1", file[0]);
    if (in.p.kv_heads == 0 ? in.p.heads != 0 : in.p.heads % in.p.kv_heads)
        fail("%s: shape: heads is %zu, expected a divisor of the %zu heads in %s",
             file[1], in.p.kv_heads, in.p.heads, file[0]);
    if (o->scaled) in.p.scale = o->scale;
    in.p.causal = o->causal;
    in.dimensions = D;
    memcpy(in.shape, in.Q.shape, sizeof in.shape);
    in.shape[D - 1] = in.p.dv;
    return in;
}

static size_t outputs(const problem *p) { return p->batch * p->heads * p->n * p->dv; }

static float *times(double factor, npy_array a)
{
    size_t count = 1;
    for (size_t i = 0; i < a.dimensions; i++) count *= a.shape[i];
    float *x = need(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)(a.data[i] * factor);
    return x;
}

/* ---- the rows ---- */

/* what the version asks of the allocator at n = m = LARGE: asked and refused, so nothing is computed */
static size_t large_storage(const version *v)
{
    const problem p = simple_problem(LARGE, LARGE, LARGE_D, LARGE_D, ARTICLE_BLOCK);
    float *x = need(LARGE * LARGE_D, sizeof *x);
    double *O = need(LARGE * LARGE_D, sizeof *O);
    counted_begin(0);
    v->run(&p, x, x, x, O);
    const size_t bytes = counted_peak();
    free(x), free(O);
    return bytes;
}

static row run_version(const version *v, const problem *p, const float *Q, const float *K, const float *V)
{
    row r = {.v = v, .O = need(outputs(p), sizeof *r.O), .large_bytes = large_storage(v)};
    counted_begin((size_t)-1);
    r.error = v->run(p, Q, K, V, r.O);
    r.bytes = counted_peak();
    for (size_t i = 0; i < outputs(p); i++) r.not_finite += !isfinite(r.O[i]);
    return r;
}

/* runs the versions asked for; returns the number of rows */
static size_t run_all(const options *o, const problem *p, const float *Q, const float *K, const float *V, row rows[])
{
    size_t count = 0, computed = 0;
    for (size_t i = 0; i < version_count; i++) {
        const version *v = &versions[i];
        if (v->stage < o->first || v->stage > o->last || ((o->scaled || o->causal) && !v->options)) continue;
        rows[count] = run_version(v, p, Q, K, V);
        if (rows[count].error) fprintf(stderr, "ledger: %s: %s\n", v->name, strerror(rows[count].error));
        else computed++;
        count++;
    }
    if (count == 0) fail("none of the versions %ld to %ld takes these options", o->first, o->last);
    if (computed == 0) exit(2);

    double *expected = need(outputs(p), sizeof *expected);
    const double *safe = NULL;
    reference(p, Q, K, V, expected, NULL);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].error && !strcmp(rows[i].v->name, "safe")) safe = rows[i].O;
    for (size_t i = 0; i < count; i++) {
        rows[i].deviation = largest_deviation(outputs(p), rows[i].O, expected, NULL);
        rows[i].from_safe = safe ? largest_deviation(outputs(p), rows[i].O, safe, NULL) : NAN;
    }
    free(expected);
    return count;
}

/* ---- what is printed and written ---- */

/* what the article's text says of its version, on its own data */
static const char *article_says(const char *name, double hot)
{
    static const struct { const char *name; double hot; const char *says; } table[] = {
        {"matrix", HOT, "512 of 512 not finite"},    {"safe", HOT, "3.8e-06 from float64"},
        {"blockwise_bug", 1, "2.1 from version 2"},  {"online", 1, "1.2e-07 from version 2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name) && table[i].hot == hot) return table[i].says;
    return "";
}

static const char *deviation_text(double x, char text[32])
{
    if (isnan(x)) return "-";
    if (isinf(x)) return "not finite";
    snprintf(text, 32, x >= 1e-3 ? "%.3f" : x > 0 ? "%.1e" : "%g", x);
    return text;
}

static void print_rows(const options *o, const problem *p, double hot, size_t count, const row rows[])
{
    const bool article = !o->file_count && o->block == ARTICLE_BLOCK && !o->scaled && !o->causal;
    char text[32], safe[32];
    printf("%-14s %15s %14s %14s %10s %12s%s\n", "version", "not finite", "from float64", "from version 2", "storage",
           "at 16Ki", article ? "   the article" : "");
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        const char *says = article ? article_says(r->v->name, hot) : "";
        if (r->error) printf("%-14s %s\n", r->v->name, strerror(r->error));
        else printf("%-14s %6zu of %5zu %14s %14s %10zu %12zu%s%s\n", r->v->name, r->not_finite, outputs(p),
                    deviation_text(r->deviation, text), deviation_text(r->from_safe, safe), r->bytes, r->large_bytes,
                    *says ? "   " : "", says);
    }
}

static void write_csv(FILE *csv, const problem *p, double hot, size_t count, const row rows[])
{
    for (size_t i = 0; i < count; i++)
        if (!rows[i].error)
            fprintf(csv, "%g,%s,%zu,%zu,%.9g,%.9g,%zu,%zu\n", hot, rows[i].v->name, outputs(p), rows[i].not_finite,
                    rows[i].deviation, rows[i].from_safe, rows[i].bytes, rows[i].large_bytes);
}

static void write_outputs(const char *folder, const input *in, size_t count, const row rows[])
{
    char path[4096], message[NPY_MESSAGE];
    if (mkdir(folder, 0777) && errno != EEXIST) fail("%s: %s", folder, strerror(errno));
    for (size_t i = 0; i < count; i++) {
        if (rows[i].error) continue;
        const char *type = rows[i].v->unit < 0x1p-24 ? "<f8" : "<f4";
        if ((size_t)snprintf(path, sizeof path, "%s/O_%s.npy", folder, rows[i].v->name) >= sizeof path)
            fail("--out: the path is longer than %zu bytes", sizeof path - 1);
        if (npy_write(path, type, in->dimensions, in->shape, rows[i].O, message)) fail("%s", message);
    }
}

static float largest_score(const problem *p, const float *Q, const float *K)
{
    float largest = -INFINITY;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->m; j++) {
            double s = 0;
            for (size_t c = 0; c < p->d; c++) s += (double)Q[i * p->d + c] * K[j * p->d + c];
            largest = fmaxf(largest, (float)(s * p->scale));
        }
    return largest;
}

/* one table; returns whether every version could be run */
static bool ledger(const options *o, const input *in, double hot, FILE *csv, const char *out)
{
    row *rows = need(version_count, sizeof *rows);
    float *Q = times(hot, in->Q), *K = times(hot, in->K);
    bool complete = true;
    const problem *p = &in->p;
    const size_t count = run_all(o, p, Q, K, in->V.data, rows);
    if (p->batch * p->heads > 1) printf("batch = %zu, heads = %zu, ", p->batch, p->heads);
    printf("n = %zu, m = %zu, d = %zu, dv = %zu, block = %zu; Q and K times %g",
           p->n, p->m, p->d, p->dv, p->block, hot);
    if (!o->file_count) printf(": largest score %.2f", largest_score(p, Q, K));
    printf("\n");
    print_rows(o, p, hot, count, rows);
    if (csv) write_csv(csv, p, hot, count, rows);
    if (out) write_outputs(out, in, count, rows);
    for (size_t i = 0; i < count; i++) complete = complete && !rows[i].error, free(rows[i].O);
    free(Q), free(K), free(rows);
    return complete;
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    const input in = read_input(&o);
    char part[4096];
    FILE *csv = NULL;
    if (o.csv) {
        if ((size_t)snprintf(part, sizeof part, "%s.part", o.csv) >= sizeof part)
            fail("--csv: the path is longer than %zu bytes", sizeof part - 6);
        csv = fopen(part, "w");
        if (!csv) fail("%s: %s", part, strerror(errno));
        fprintf(csv, "hot,version,outputs,not_finite,from_float64,from_version_2,bytes,bytes_16ki\n");
    }
    bool complete = ledger(&o, &in, o.hot, csv, o.out);
    if (!o.one_heat) printf("\n"), complete = ledger(&o, &in, HOT, csv, NULL) && complete;
    printf("\nStorage: bytes held at one time beside inputs and outputs, as counted by the allocator. At 16Ki: bytes\n"
           "asked for at n = m = %d, d = dv = %d, block = %d (and refused, so that nothing had to be computed).\n",
           LARGE, LARGE_D, ARTICLE_BLOCK);
    if (csv && (fclose(csv) || rename(part, o.csv))) fail("%s: %s", o.csv, strerror(errno));
    free(in.Q.data), free(in.K.data), free(in.V.data);
    return complete ? 0 : 2;
}
