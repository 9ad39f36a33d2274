/* The bench's second part: what the machine can do, and attention_flash on what it is used for. */
#include "bench.h"
#include "../../04_online_softmax/common.h"
#include "timing.h"
#include <stdlib.h>
#include <string.h>

enum { MANY = 15 }; /* samples of a row */

/* ---- what the machine can do ---- */

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

double peak(size_t threads)
{
    enum { ROUNDS = 800000 };
    double sum = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static, 1)
#endif
    for (size_t i = 0; i < threads; i++) sum += 12.0 * 2 * W * ROUNDS / registers_only(ROUNDS) / 1e9;
    return sum;
}

double triad(size_t threads)
{
    static float *a, *b, *c;
    if (!a) {
        a = need(TRIAD, sizeof *a), b = need(TRIAD, sizeof *b), c = need(TRIAD, sizeof *c);
        for (size_t i = 0; i < TRIAD; i++) a[i] = b[i] = c[i] = 1;
    }
    const double start = now();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads)
#else
    (void)threads;
#endif
    for (size_t i = 0; i < TRIAD; i++) a[i] = b[i] + 3 * c[i];
    sink = a[TRIAD / 2];
    return 12.0 * TRIAD / (now() - start) / 1e9;
}

/* ---- calls ---- */

bool is_flash(const version *v) { return !strcmp(v->name, "flash"); }

double seconds(const version *v, const problem *p, size_t threads, const arrays *x)
{
    flash_problem f = flash_of(p);
    f.threads = threads;
    const double start = now();
    const int error = is_flash(v) ? attention_flash(&f, x->Q, x->K, x->V, x->O, NULL)
                                  : v->run(p, x->Q, x->K, x->V, x->O64);
    if (error) fprintf(stderr, "bench: %s: %s\n", v->name, strerror(error)), exit(2);
    return now() - start;
}

/* one call of attention_flash, or the mean of several that take a millisecond together */
static double flash_seconds(const problem *p, size_t threads, const arrays *x)
{
    double time = 0;
    int calls = 0;
    for (; time < 1e-3; calls++) time += seconds(version_named("flash"), p, threads, x);
    return time / calls;
}

void fill(float *x, size_t count, unsigned seed) /* a sum of 12 uniform numbers, the same after 2^20 of them */
{
    uint64_t state = seed;
    const size_t fresh = least(count, 1 << 20);
    for (size_t i = 0; i < fresh; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's generator */
            sum += (double)(state >> 11) * 0x1p-53;
        }
        x[i] = (float)sum;
    }
    for (size_t i = fresh; i < count; i++) x[i] = x[i - fresh];
}

/* ---- the rows ---- */

/* work (GFLOP or GB) a second, as a share of the peak or of the triad */
static void share(const char *what, const problem *p, size_t threads, bool memory, double work, const arrays *x)
{
    double rate[MANY], part[MANY], machine[MANY];
    for (int s = 0; s < MANY; s++) {
        const double before = memory ? triad(threads) : peak(threads);
        rate[s] = work / flash_seconds(p, threads, x);
        const double after = memory ? triad(threads) : peak(threads);
        machine[s] = before > after ? before : after;
        part[s] = rate[s] / machine[s];
    }
    const double middle = median(rate, MANY);
    median(machine, MANY); /* sorts it */
    printf("%-44s %7zu %9.3f ms %7.1f %-7s %4.0f %% of %s, best %.0f %%\n", what, threads, 1e3 * work / middle, middle,
           memory ? "GB/s" : "GFLOP/s", 100 * median(part, MANY), memory ? "triad" : "peak ",
           100 * rate[MANY - 1] / machine[MANY - 1]);
}

/* time of p over time of q, sample by sample */
static double over(const problem *p, const problem *q, size_t threads, const arrays *x)
{
    double ratio[MANY];
    for (int s = 0; s < MANY; s++) ratio[s] = flash_seconds(p, threads, x) / flash_seconds(q, threads, x);
    return median(ratio, MANY);
}

/* 1 to 15 queries beside 16, in one interleaved run: 8 heads, m = 2048 */
static void few_queries(size_t d, size_t threads, const arrays *x)
{
    double ratio[16][MANY], largest = 0;
    problem p = simple_problem(16, 2048, d, d, 0);
    p.heads = p.kv_heads = 8;
    for (int s = 0; s < MANY; s++)
        for (p.n = 16; p.n > 0; p.n--) {
            ratio[p.n - 1][s] = flash_seconds(&p, threads, x);
            if (p.n < 16) ratio[p.n - 1][s] /= ratio[15][s];
        }
    printf("time of n queries over 16, 8 heads, m = 2048, d = %zu, %zu thread(s):", d, threads);
    for (int n = 1; n < 16; n++) {
        const double here = median(ratio[n - 1], MANY);
        if (here > largest) largest = here;
        printf("%s%.2f", n == 1 || n == 9 ? "\n    " : "  ", here);
    }
    printf("   the largest %.2f\n", largest);
}

static void rows_of_threads(size_t threads, const arrays *x)
{
    problem p = simple_problem(4096, 4096, 64, 64, 0), q;
    share("dense, n = m = 4096, d = 64", &p, threads, false, 4e-9 * 64 * 4096 * 4096, x);
    p.d = p.dv = 128, p.scale = 1 / sqrt(128);
    share("dense, n = m = 4096, d = 128", &p, threads, false, 4e-9 * 128 * 4096 * 4096, x);
    p = simple_problem(128, 128, 64, 64, 0), p.batch = 8, p.heads = p.kv_heads = 12;
    share("batch 8, 12 heads, n = m = 128, d = 64", &p, threads, false, 4e-9 * 96 * 64 * 128 * 128, x);
    p = simple_problem(1, 1 << 18, 64, 64, 0);
    share("decode, n = 1, 1 head, m = 262144, d = 64", &p, threads, true, 8e-9 * 64 * (1 << 18), x);
    p = simple_problem(1, 8192, 128, 128, 0), p.heads = 32, p.kv_heads = 8;
    share("decode, n = 1, 32 heads on 8, m = 8192, d = 128", &p, threads, true, 8e-9 * 8 * 8192 * 128, x);
    for (size_t n = 1024; n <= 4096; n *= 4) {
        p = q = simple_problem(n, n, 64, 64, 0), p.causal = true;
        printf("causal over dense, n = m = %zu, d = 64, %zu thread(s): %.3f\n", n, threads, over(&p, &q, threads, x));
    }
    for (size_t d = 64; d <= 128; d *= 2) few_queries(d, threads, x);
    fflush(stdout);
}

static void deviation(const options *o, const arrays *x)
{
    const problem p = simple_problem(o->quick ? 512 : 4096, o->quick ? 512 : 4096, 64, 64, 0);
    double *expected = need(p.n * 64, sizeof *expected), *found = need(p.n * 64, sizeof *found);
    seconds(version_named("flash"), &p, 0, x);
    reference(&p, x->Q, x->K, x->V, expected, NULL);
    for (size_t i = 0; i < p.n * 64; i++) found[i] = x->O[i];
    printf("dense, n = m = %zu, d = 64, N(0, 1): at most %.1e from float64\n", p.n,
           largest_deviation(p.n * 64, found, expected, NULL));
    free(expected), free(found);
}

void flash_at_work(const options *o, size_t threads)
{
    const size_t keys = (size_t)64 << 18; /* of the longest decode */
    const arrays x = {need(keys, 4), need(keys, 4), need(keys, 4), need(keys, 4), NULL};
    fill(x.Q, keys, 1), fill(x.K, keys, 2), fill(x.V, keys, 3);
    printf("attention_flash at work, medians of %d; best: the best time beside the machine's best\n", MANY);
    for (size_t t = 1; t <= threads; t += threads > 1 ? threads - 1 : 1) rows_of_threads(t, &x);
    deviation(o, &x);
    free(x.Q), free(x.K), free(x.V), free(x.O);
}
