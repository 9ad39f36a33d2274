/* How long a sequence fits, and what a step costs:  mpirun -n P build/ring/bench fits | overlap | beyond ...
 *
 *     fits MEGABYTES             the most tokens that so many megabytes a rank hold, found by trying; one line
 *     overlap TOKENS             seconds of one call, of them waiting, with mail under way while we compute and without
 *     beyond BANDWIDTH PEAK      nothing is measured: bytes and seconds by formula, at GB/s and TFLOP/s a rank
 *     line                       nothing is measured: ranks and tokens by formula, comma-separated, for the figure */
#include "watch.h"
#include "../../suites/counted.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* one layer's heads; bench measures SMALL and calculates LARGE, too */
typedef struct { size_t heads, kv_heads, d, dv; } shape;
static const shape SMALL = {1, 1, 64, 64}, LARGE = {32, 8, 128, 128};
static int rank, ranks;

/* bytes a rank holds for so many tokens of its own, but for attention_flash's tile: Q, O, K, V; accounts; room for one
 * chunk's rows; two parcels */
static double held(shape s, double tokens)
{
    const double heads = (double)s.heads, kv = (double)s.kv_heads, both = (double)(s.d + s.dv), w = (double)s.dv + 2;
    const double tensors = (heads + kv) * tokens * both, accounts = heads * tokens * w,
                 parcels = 2 * kv * tokens * both;
    return 4 * (tensors + accounts + (heads * tokens / 2 + 1) * w + parcels);
}

/* tensors of a rank with tokens of its own, causal; seconds of the slowest rank, or a negative number */
static double run(shape s, size_t tokens, size_t *bytes)
{
    const flash_problem p = {.batch = 1, .heads = s.heads, .kv_heads = s.kv_heads, .n = tokens * (size_t)ranks,
                             .m = tokens * (size_t)ranks, .d = s.d, .dv = s.dv, .scale = (float)(1 / sqrt((double)s.d)),
                             .causal = true, .threads = 1};
    const size_t q = s.heads * tokens * s.d, k = s.kv_heads * tokens * s.d, v = s.kv_heads * tokens * s.dv;
    counted_begin((size_t)-1);
    float *x = counted_malloc((q + k + v + s.heads * tokens * s.dv) * sizeof *x);
    for (size_t i = 0; x && i < q + k + v; i++) x[i] = (float)(i * 2654435761u % 1000) / 1000 - 0.5f;
    memset(&watch, 0, sizeof watch);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const int error = x ? attention_ring(&p, x, x + q, x + q + k, x + q + k + v, NULL, MPI_COMM_WORLD) : -1;
    const double seconds = error ? -1 : MPI_Wtime() - start;
    *bytes = counted_peak();
    counted_free(x);
    double slowest[] = {seconds, watch.waiting, watch.computing};
    MPI_Allreduce(MPI_IN_PLACE, slowest, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    watch.waiting = slowest[1], watch.computing = slowest[2];
    return slowest[0];
}

static void fits(double megabytes)
{
    size_t least = 2, most = (size_t)(megabytes * 1e6 / (4 * 64)), bytes = 0; /* twice: even, so that it divides */
    while (most - least > 2) {
        const size_t middle = (least + most) / 4 * 2;
        const double seconds = run(SMALL, middle, &bytes);
        if (seconds >= 0 && (double)bytes <= megabytes * 1e6) least = middle;
        else most = middle;
    }
    const double seconds = run(SMALL, least, &bytes);
    if (!rank) printf("%5d %10zu %12zu %12.0f %14lld %8.3f\n", ranks, least * (size_t)ranks, bytes,
                      held(SMALL, (double)least), watch.sent, seconds);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* five turns of each kind in turn; the median of every column, each the largest of all ranks */
static void overlap(size_t tokens)
{
    enum { TURNS = 5 };
    double seconds[2][TURNS], waiting[2][TURNS], computing[2][TURNS];
    size_t bytes;
    for (int turn = 0; turn < TURNS; turn++)
        for (int kind = 0; kind < 2; kind++) {
            watch_overlap = kind == 0;
            seconds[kind][turn] = run(LARGE, tokens, &bytes);
            waiting[kind][turn] = watch.waiting, computing[kind][turn] = watch.computing;
        }
    for (int kind = 0; kind < 2 && !rank; kind++) {
        qsort(seconds[kind], TURNS, sizeof(double), ascending), qsort(waiting[kind], TURNS, sizeof(double), ascending);
        qsort(computing[kind], TURNS, sizeof(double), ascending);
        printf("%-8s %10zu %12lld %8.3f %10.3f %8.3f\n", kind ? "without" : "with", tokens, watch.sent,
               seconds[kind][TURNS / 2], computing[kind][TURNS / 2], waiting[kind][TURNS / 2]);
    }
}

static void beyond(double bandwidth, double peak)
{
    static const double lengths[] = {1e6, 1e7};
    static const int counts[] = {8, 64, 1024};
    printf("%zu heads on %zu, d = dv = %zu, causal, float32, one layer; %g GB/s and %g TFLOP/s a rank\n", LARGE.heads,
           LARGE.kv_heads, LARGE.d, bandwidth, peak);
    puts("    tokens  ranks   GB held   GB sent  s sending  s computing");
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < 3; c++) {
            const double n = lengths[l], p = counts[c], width = (double)(LARGE.d + LARGE.dv);
            const double sent = 4 * (double)LARGE.kv_heads * width * n * (p - 1) / p;
            const double work = 2 * (double)LARGE.heads * width * n * (n + 1) / 2 / p;
            printf("%10.0f %6.0f %9.2f %9.2f %10.2f %12.2f\n", n, p, held(LARGE, n / p) / 1e9, sent / 1e9,
                   sent / 1e9 / bandwidth, work / 1e12 / peak);
        }
}

/* the tokens that so many bytes hold */
static double tokens_in(shape s, double bytes) { return floor((bytes - held(s, 0)) / (held(s, 1) - held(s, 0))); }

/* how many tokens all ranks hold together, for SMALL and LARGE */
static void line(void)
{
    puts("ranks, tokens at 4 MB a rank, tokens at 80 GB a rank");
    for (double p = 1; p <= 1024; p *= 2)
        printf("%.0f, %.0f, %.0f\n", p, p * tokens_in(SMALL, 4e6), p * tokens_in(LARGE, 80e9));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *what = argc > 1 ? argv[1] : "";
    int status = 0;
    if (!strcmp(what, "fits") && argc == 3) fits(strtod(argv[2], NULL));
    else if (!strcmp(what, "overlap") && argc == 3) overlap(strtoull(argv[2], NULL, 10));
    else if (!strcmp(what, "beyond") && argc == 4) beyond(strtod(argv[2], NULL), strtod(argv[3], NULL));
    else if (!strcmp(what, "line") && argc == 2) line();
    else fprintf(stderr, "usage: %s fits MB | overlap TOKENS | beyond GB/S TFLOP/S | line\n", argv[0]), status = 2;
    MPI_Finalize();
    return status;
}
