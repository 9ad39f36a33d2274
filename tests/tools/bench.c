/* The bench: how fast the versions are, and how near attention_flash comes to what the machine can do.
 *
 *     make bench            all sizes, some minutes        (build/bench [--csv FILE] [--limit SECONDS] [--flash])
 *     make bench QUICK=1    few sizes, under 30 seconds
 *
 * Every number is a median of 5 samples or more. Beside each sample stand measurements of the machine itself, one
 * before and one after: multiply-adds on registers for the products, a triad a = b + 3 c for the decode step. The
 * share is of the better of the two. What another process takes away, both lose. */
#include "../../04_online_softmax/common.h"
#define UNCOUNTED
#include "../suites/counted.h"
#include "../suites/reference.h"
#include "timing.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 7, TRIAD = 1 << 24 };
#define MOST_BYTES (1024.0 * 1024 * 1024)

typedef struct {
    bool quick, flash_only;
    double limit; /* seconds a call may be predicted to take */
    FILE *csv;
} options;

typedef struct { float *Q, *K, *V, *O; double *O64; } arrays; /* room for the largest problem */

/* ---- what the machine can do ---- */

typedef float vec __attribute__((vector_size(4 * W)));
static volatile float sink;

/* multiply-adds on registers: seconds for rounds of 12 vectors, enough that none waits for another */
static double registers_only(long rounds)
{
    vec sum[4][3], x = (vec){0} + 0.9999f, y = (vec){0} + 1e-6f, all = {0};
    UNROLL for (int i = 0; i < 4; i++)
        UNROLL for (int k = 0; k < 3; k++) sum[i][k] = y * (float)(3 * i + k);
    const double start = now();
    ROLLED for (long r = 0; r < rounds; r++)
        UNROLL for (int i = 0; i < 4; i++)
            UNROLL for (int k = 0; k < 3; k++) sum[i][k] = sum[i][k] * x + y;
    const double time = now() - start;
    for (int i = 0; i < 12; i++) all += sum[i / 3][i % 3];
    sink = all[0];
    return time;
}

/* GFLOP/s of all threads together */
static double peak(size_t threads)
{
    enum { ROUNDS = 800000 };
    double sum = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static, 1)
#endif
    for (size_t i = 0; i < threads; i++) sum += 12.0 * 2 * W * ROUNDS / registers_only(ROUNDS) / 1e9;
    return sum;
}

/* GB/s, counting 12 bytes an element as STREAM does */
static double triad(size_t threads, float *a, const float *b, const float *c)
{
    const double start = now();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads)
#else
    (void)threads;
#endif
    for (size_t i = 0; i < TRIAD; i++) a[i] = b[i] + 3 * c[i];
    return 12.0 * TRIAD / (now() - start) / 1e9;
}

/* ---- calls ---- */

static flash_problem with_threads(const problem *p, size_t threads)
{
    flash_problem f = flash_of(p);
    f.threads = threads;
    return f;
}

static bool is_flash(const version *v) { return !strcmp(v->name, "flash"); }

/* seconds of one call; attention_flash is called itself, for its adapter would cost it */
static double seconds(const version *v, const problem *p, size_t threads, const arrays *x)
{
    const flash_problem f = with_threads(p, threads);
    const double start = now();
    const int error = is_flash(v) ? attention_flash(&f, x->Q, x->K, x->V, x->O, NULL)
                                  : v->run(p, x->Q, x->K, x->V, x->O64);
    if (error) fprintf(stderr, "bench: %s: %s\n", v->name, strerror(error)), exit(2);
    return now() - start;
}

/* bytes it would ask the allocator for; all are refused, so nothing is computed */
static double storage(const version *v, const problem *p, size_t threads, const arrays *x)
{
    const flash_problem f = with_threads(p, threads);
    counted_begin(0);
    if (is_flash(v)) attention_flash(&f, x->Q, x->K, x->V, x->O, NULL);
    else v->run(p, x->Q, x->K, x->V, x->O64);
    const double bytes = (double)counted_peak();
    counted_begin((size_t)-1);
    return bytes;
}

/* ---- the tables ---- */

/* one row of the first table; *rate: the version's GFLOP/s so far, from which its time is predicted */
static void measure(const options *o, const version *v, size_t n, size_t d, size_t threads, const arrays *x,
                    double *rate)
{
    const problem p = simple_problem(n, n, d, d, 64);
    const double work = 4e-9 * (double)n * (double)n * (double)d, bytes = storage(v, &p, threads, x);
    if (work / *rate > o->limit || bytes > MOST_BYTES) {
        printf("%-14s %7zu %5zu %7zu   left out: it would take about %.1f s and %.0f MB\n", v->name, threads, d, n,
               work / *rate, bytes / 1e6);
        return;
    }
    fprintf(stderr, "%-14s n = %-6zu d = %-4zu %zu thread(s)%c", v->name, n, d, threads, isatty(2) ? '\r' : '\n');
    const double once = seconds(v, &p, threads, x);
    const int calls = once < 4e-3 ? (int)(4e-3 / once) + 1 : 1;
    double time[SAMPLES], share[SAMPLES], best[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        const double before = peak(threads);
        time[s] = 0;
        for (int call = 0; call < calls; call++) time[s] += seconds(v, &p, threads, x) / calls;
        const double after = peak(threads);
        best[s] = before > after ? before : after;
        share[s] = work / time[s] / best[s];
    }
    const double t = median(time, SAMPLES), part = median(share, SAMPLES), top = median(best, SAMPLES);
    *rate = work / t;
    if (isatty(2)) fprintf(stderr, "%60s\r", "");
    printf("%-14s %7zu %5zu %7zu %11.3f %10.2f %9.1f %12.0f\n", v->name, threads, d, n, t * 1e3, *rate, 100 * part,
           bytes);
    fflush(stdout);
    if (o->csv)
        fprintf(o->csv, "%s,%zu,%zu,%zu,%.6g,%.6g,%.6g,%.6g,%.0f\n", v->name, threads, d, n, t * 1e3, *rate, top, part,
                bytes);
}

static void versions_over_n(const options *o, size_t threads, const arrays *x)
{
    static const size_t quick[] = {256, 1024, 4096}, all[] = {256, 512, 1024, 2048, 4096, 8192, 16384};
    const size_t *n = o->quick ? quick : all, count = o->quick ? 3 : 7;
    printf("%-14s %7s %5s %7s %11s %10s %9s %12s\n", "version", "threads", "d", "n = m", "ms", "GFLOP/s", "% of peak",
           "storage");
    if (o->csv) fprintf(o->csv, "version,threads,d,n,ms,gflops,peak_gflops,share,bytes\n");
    for (size_t d = 64; d <= (o->quick ? 64 : 128); d *= 2)
        for (size_t i = 0; i < version_count; i++) {
            const bool flash = is_flash(&versions[i]);
            if (o->flash_only && !flash) continue;
            for (size_t t = 1; t <= (flash ? threads : 1); t += threads > 1 ? threads - 1 : 1) {
                double rate = 0.3;
                for (size_t k = 0; k < count; k++) measure(o, &versions[i], n[k], d, t, x, &rate);
            }
        }
}

/* causal against dense, sample by sample */
static void causal_over_dense(const options *o, size_t threads, const arrays *x)
{
    problem p = simple_problem(o->quick ? 1024 : 4096, o->quick ? 1024 : 4096, 64, 64, 0);
    double ratio[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        p.causal = false;
        const double dense = seconds(version_named("flash"), &p, threads, x);
        p.causal = true;
        ratio[s] = seconds(version_named("flash"), &p, threads, x) / dense;
    }
    printf("causal, n = m = %zu, d = 64, %zu thread(s): %.3f of the dense time\n", p.n, threads,
           median(ratio, SAMPLES));
}

/* one query, many keys: bound by memory */
static void decode(const options *o, size_t threads)
{
    const problem p = simple_problem(1, o->quick ? 1 << 18 : 1 << 20, 64, 64, 0);
    const double gigabytes = 8e-9 * 64 * (double)p.m;
    arrays x = {need(64, 4), need(p.m * 64, 4), need(p.m * 64, 4), need(64, 4), NULL};
    float *a = need(TRIAD, sizeof *a), *b = need(TRIAD, sizeof *b), *c = need(TRIAD, sizeof *c);
    double rate[SAMPLES], share[SAMPLES];
    for (size_t i = 0; i < p.m * 64; i++) x.K[i] = x.V[i] = (float)(i % 7);
    for (size_t i = 0; i < TRIAD; i++) a[i] = b[i] = c[i] = 1;
    triad(threads, a, b, c), seconds(version_named("flash"), &p, threads, &x);
    for (int s = 0; s < SAMPLES; s++) {
        const double before = triad(threads, a, b, c);
        rate[s] = gigabytes / seconds(version_named("flash"), &p, threads, &x);
        const double after = triad(threads, a, b, c);
        share[s] = rate[s] / (before > after ? before : after);
    }
    sink = a[TRIAD / 2];
    printf("decode, n = 1, m = %zu, d = 64, %zu thread(s): %.1f GB/s of K and V, %.0f %% of a triad\n", p.m, threads,
           median(rate, SAMPLES), 100 * median(share, SAMPLES));
    free(x.Q), free(x.K), free(x.V), free(x.O), free(a), free(b), free(c);
}

static void deviation(const options *o, const arrays *x)
{
    const problem p = simple_problem(o->quick ? 512 : 4096, o->quick ? 512 : 4096, 64, 64, 0);
    double *expected = need(p.n * 64, sizeof *expected);
    seconds(version_named("flash"), &p, 0, x);
    reference(&p, x->Q, x->K, x->V, expected, NULL);
    for (size_t i = 0; i < p.n * 64; i++) x->O64[i] = x->O[i];
    printf("flash, n = m = %zu, d = 64, N(0, 1): at most %.1e from float64\n", p.n,
           largest_deviation(p.n * 64, x->O64, expected, NULL));
    free(expected);
}

static void fill(float *x, size_t count, uint64_t state) /* near N(0, 1): a sum of 12 uniform numbers */
{
    for (size_t i = 0; i < count; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's generator */
            sum += (double)(state >> 11) * 0x1p-53;
        }
        x[i] = (float)sum;
    }
}

/* ---- the program ---- */

static int usage(const char *wrong)
{
    fprintf(stderr, "bench: %s\nusage: build/bench [--quick] [--flash] [--limit SECONDS] [--csv FILE]\n", wrong);
    return 2;
}

static int parse(options *o, int argc, char **argv)
{
    char *end = "";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) o->quick = true;
        else if (!strcmp(argv[i], "--flash")) o->flash_only = true;
        else if (i + 1 == argc) return usage("there is an option that is unknown or lacks its value");
        else if (!strcmp(argv[i], "--limit")) o->limit = strtod(argv[++i], &end);
        else if (!strcmp(argv[i], "--csv")) o->csv = fopen(argv[++i], "w");
        else return usage("there is an option that is unknown");
        if (*end || !(o->limit >= 0)) return usage("--limit takes seconds, a number above 0");
        if (!strcmp(argv[i - 1], "--csv") && !o->csv) return usage(strerror(errno));
    }
    if (o->limit == 0) o->limit = o->quick ? 0.2 : 2;
    return 0;
}

int main(int argc, char **argv)
{
    options o = {0};
    if (!getenv("OMP_WAIT_POLICY")) { /* idle threads would spin beside what is measured; read at the program's start */
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execvp(argv[0], argv);
    }
    if (parse(&o, argc, argv)) return 2;
    const size_t threads = (size_t)omp_get_max_threads(), count = (size_t)(o.quick ? 4096 : 16384) * 128;
    const arrays x = {need(count, 4), need(count, 4), need(count, 4), need(count, 4), need(count, 8)};
    fill(x.Q, count, 1), fill(x.K, count, 2), fill(x.V, count, 3);
    printf("attention_flash: " FLAGS "\n%d floats in a vector, %zu thread(s); medians of %d\n\n", W, threads, SAMPLES);
    versions_over_n(&o, threads, &x);
    printf("\n");
    for (size_t t = 1; t <= threads; t += threads > 1 ? threads - 1 : 1) causal_over_dense(&o, t, &x), decode(&o, t);
    deviation(&o, &x);
    free(x.Q), free(x.K), free(x.V), free(x.O), free(x.O64);
    if (fflush(stdout) || ferror(stdout)) return perror("bench: standard output"), 2;
    return o.csv && fclose(o.csv) ? fprintf(stderr, "bench: the CSV file: %s\n", strerror(errno)), 2 : 0;
}
