/* The bench: how fast the versions are, and how near attention_flash comes to what the machine can do.
 *
 *     make bench            all sizes, some minutes        (build/bench [--csv FILE] [--limit SECONDS] [--flash])
 *     make bench QUICK=1    few sizes, under 30 seconds
 *
 * Every number is a median of 7 samples or more. Beside each sample stand measurements of the machine itself, one
 * before and one after: multiply-adds on registers for the products, a triad a = b + 3 c for what is read once. The
 * share is of the better of the two. What another process takes away, both lose; the rows at the end (bench_flash.c)
 * also give the best of all samples, which on a busy machine is nearest to an idle one. */
#include "bench.h"
#include "../../04_online_softmax/common.h"
#define UNCOUNTED
#include "../suites/counted.h"
#include "timing.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (1024.0 * 1024 * 1024)

/* bytes it would ask the allocator for; all are refused, so nothing is computed */
static double storage(const version *v, const problem *p, size_t threads, const arrays *x)
{
    flash_problem f = flash_of(p);
    f.threads = threads;
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
    free(x.Q), free(x.K), free(x.V), free(x.O), free(x.O64);
    flash_at_work(&o, threads);
    if (fflush(stdout) || ferror(stdout)) return perror("bench: standard output"), 2;
    return o.csv && fclose(o.csv) ? fprintf(stderr, "bench: the CSV file: %s\n", strerror(errno)), 2 : 0;
}
