/* What the first two of flash.c's three steps gain: attention_tiled, then flash.c with one step after the other taken
 * in, all on one thread. (What threads gain is in make bench.)
 *
 *     make steps        (some seconds)
 *
 * attention_flash_lanes is flash.c itself, built by tools.mk with another line in common.h: vectors as they are, but
 * one register where the micro-kernel has many. Calls are interleaved, and ratios are taken within each round. The
 * time is the processor's, so that it does not count how long others had it. */
#include "../../04_online_softmax/flash.h"
#include "../../04_online_softmax/tiled.h"
#include "timing.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2048, D = 64, BLOCK = 64, ROUNDS = 9, STEPS = 3 };
typedef int flash(const flash_problem *p, const float *Q, const float *K, const float *V, float *O, float *lse);
flash attention_flash_lanes;

static float Q[N][D], K[N][D], V[N][D], right[N][D], O[N][D];

static bool close_to_tiled(void)
{
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < D; c++)
            if (!(fabsf(O[i][c] - right[i][c]) <= 1e-5f)) return false;
    return true;
}

static int run(flash *f)
{
    const flash_problem p = {.batch = 1, .heads = 1, .kv_heads = 1, .n = N, .m = N, .d = D, .dv = D, .scale = 0.125f,
                             .threads = 1};
    return f(&p, *Q, *K, *V, *O, NULL);
}

static int step(int which)
{
    switch (which) {
        case 0: return attention_tiled(N, N, D, D, BLOCK, BLOCK, false, Q, K, V, O);
        case 1: return run(attention_flash_lanes);
        default: return run(attention_flash);
    }
}

static void fill(size_t count, float x[count])
{
    static unsigned state = 1;
    for (size_t i = 0; i < count; i++) x[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 8388608 - 1;
}

int main(void)
{
    static const char *const names[STEPS] = {"attention_tiled", "1. queries into lanes", "2. one micro-kernel"};
    double seconds[STEPS][ROUNDS], gain[STEPS][ROUNDS];
    fill(N * D, *Q), fill(N * D, *K), fill(N * D, *V);
    for (int round = -1; round < ROUNDS; round++) /* round -1 warms up */
        for (int s = 0; s < STEPS; s++) {
            const clock_t start = clock();
            const int error = step(s);
            const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
            if (error) return fprintf(stderr, "steps: %s\n", strerror(error)), 2;
            if (s == 0) memcpy(right, O, sizeof right);
            if (!close_to_tiled()) return fprintf(stderr, "steps: %s differs from attention_tiled\n", names[s]), 1;
            if (round < 0) continue;
            seconds[s][round] = time;
            gain[s][round] = seconds[s ? s - 1 : 0][round] / time;
        }
    printf("n = m = %d, d = dv = %d, one thread; medians of %d rounds\n"
           "step                                  ms  times as fast as the row above\n",
           N, D, ROUNDS);
    for (int s = 0; s < STEPS; s++) {
        printf("%-30s %9.1f", names[s], median(seconds[s], ROUNDS) * 1e3);
        if (s) printf("  %.2f", median(gain[s], ROUNDS));
        printf("\n");
    }
    return fflush(stdout) || ferror(stdout) ? perror("steps: standard output"), 2 : 0;
}
