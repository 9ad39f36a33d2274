/* The ledger: every version on the same input, in one table.
 *
 *     build/ledger                        the article's experiment, plain and hot
 *     build/ledger Q.npy K.npy V.npy      anyone's own tensors: (n, d), (heads, n, d) or (batch, heads, n, d)
 *     build/ledger --help                 all options
 *
 * A row holds how many outputs are not finite, the largest deviation from float64, and the storage
 * beside inputs and outputs as counted by the allocator. It costs a float64 reference of the input,
 * which at large sizes is slower than any version. */
#include "ledger.h"
#include "../suites/article.h"
#define UNCOUNTED
#include "../suites/counted.h"
#include "../suites/reference.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 16384 };

typedef struct {
    const version *v;
    int error;
    size_t bytes, large_bytes, not_finite;
    double *O, deviation, from_safe;
} row;

static float *times(double factor, npy_array a)
{
    size_t count = 1;
    for (size_t i = 0; i < a.dimensions; i++) count *= a.shape[i];
    float *x = need(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)(a.data[i] * factor);
    return x;
}

/* ---- the rows ---- */

static row run_version(const version *v, const problem *p, const float *Q, const float *K, const float *V)
{
    row r = {.v = v, .O = need(outputs(p), sizeof *r.O), .large_bytes = storage_asked(v, LARGE)};
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
        if (v->stage < o->first || v->stage > o->last) continue;
        if ((o->scaled && !v->options) || (o->causal && !v->causal)) continue;
        rows[count] = run_version(v, p, Q, K, V);
        if (rows[count].error) fprintf(stderr, "ledger: %s: %s\n", v->name, strerror(rows[count].error));
        else computed++;
        count++;
    }
    const int last = versions[version_count - 1].stage;
    if (o->first > last) fail("there is no version %ld, there are 0 to %d", o->first, last);
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
    for (size_t i = 0; i < count; i++) {
        if (rows[i].error) continue;
        const char *type = rows[i].v->unit < 0x1p-24 ? "<f8" : "<f4";
        if ((size_t)snprintf(path, sizeof path, "%s/O_%s.npy", folder, rows[i].v->name) >= sizeof path)
            fail("--out: the path is longer than %zu bytes", sizeof path - 1);
        if (npy_write(path, type, in->dimensions, in->shape, rows[i].O, message)) fail("%s", message);
    }
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

/* the folder for results is there, and can be written to, before anything is computed */
static void make_folder(const char *folder)
{
    if (mkdir(folder, 0777) && errno != EEXIST) fail("--out: %s: %s", folder, strerror(errno));
    if (access(folder, W_OK | X_OK)) fail("--out: %s: %s", folder, strerror(errno));
    struct stat s;
    if (stat(folder, &s) || !S_ISDIR(s.st_mode)) fail("--out: %s is no folder", folder);
}

/* part: what is written first. A device, a pipe or a link stays what it is, and is written itself. */
static FILE *open_csv(const char *path, char part[], size_t size)
{
    struct stat s;
    const bool stays = !lstat(path, &s) && !S_ISREG(s.st_mode);
    if ((size_t)snprintf(part, size, "%s%s", path, stays ? "" : ".part") >= size)
        fail("--csv: the path is longer than %zu bytes", size - 6);
    FILE *csv = fopen(part, "w");
    if (!csv) fail("%s: %s", part, strerror(errno));
    fprintf(csv, "hot,version,outputs,not_finite,from_float64,from_version_2,bytes,bytes_16ki\n");
    return csv;
}

int main(int argc, char **argv)
{
    const options o = read_options(argc, argv);
    const input in = read_input(&o);
    char part[4096];
    if (o.out) make_folder(o.out);
    FILE *csv = o.csv ? open_csv(o.csv, part, sizeof part) : NULL;
    bool complete = ledger(&o, &in, o.hot, csv, o.out);
    if (!o.one_heat) printf("\n"), complete = ledger(&o, &in, HOT, csv, NULL) && complete;
    printf("\nStorage: bytes held at one time beside inputs and outputs, as counted by the allocator. At 16Ki: bytes\n"
           "asked for at n = m = %d, d = dv = %d, block = %d (and refused, so that nothing had to be computed).\n",
           LARGE, STORAGE_D, ARTICLE_BLOCK);
    if (version_named("cuda") && o.last >= 5)
        printf("cuda also holds copies of Q, K, V and O, as a graphics card has to.\n");
    if (csv && (fclose(csv) || (strcmp(part, o.csv) && rename(part, o.csv)))) fail("%s: %s", o.csv, strerror(errno));
    if (fflush(stdout) || ferror(stdout)) fail("standard output: %s", strerror(errno));
    free(in.Q.data), free(in.K.data), free(in.V.data);
    return complete ? 0 : 2;
}
