/* Version 1 with its two products handed to a BLAS, and both timed against version 0.
 *
 *     make stage-1        (needs OpenBLAS, which pkg-config finds)
 *
 * The lesson of version 1 is that three calls can be given to whoever does them best. This twin
 * changes nothing but the two products: cblas_sgemm in place of the plain loops. One thread, so
 * that what is compared is the work and not the number of cores. Costs a few seconds. */
#include "../../00_loop/attention.h"
#include "../../01_matrix/attention.h"
#include "timing.h"
#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2048, M = 2048, D = 64, DV = 64, RUNS = 5 };

static int attention_blas(const float Q[N][D], const float K[M][D], const float V[M][DV], float O[N][DV])
{
    float (*S)[M] = calloc(N, sizeof *S);
    if (!S) return ENOMEM;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, M, D, 1 / sqrtf(D), *Q, D, *K, D, 0, *S, M);
    for (size_t i = 0; i < N; i++) {
        float sum = 0;
        for (size_t j = 0; j < M; j++) sum += S[i][j] = expf(S[i][j]);
        for (size_t j = 0; j < M; j++) S[i][j] /= sum;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, DV, M, 1, *S, M, *V, DV, 0, *O, DV);
    free(S);
    return 0;
}

/* numbers in [-1, 1) */
static void fill(size_t count, float x[count])
{
    static unsigned state = 1;
    for (size_t i = 0; i < count; i++) x[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 8388608 - 1;
}

static float Q[N][D], K[M][D], V[M][DV], plain[N][DV], blas[N][DV];
static double right[N][DV];

int main(void)
{
    double loop_time[RUNS], plain_ratio[RUNS], blas_ratio[RUNS], deviation = 0;
    int error = 0;
    fill(N * D, *Q), fill(M * D, *K), fill(M * DV, *V);
    openblas_set_num_threads(1);
    for (int run = -1; run < RUNS && !error; run++) { /* run -1 warms up */
        const double t0 = now();
        error = attention_loop(N, M, D, DV, Q, K, V, right);
        const double t1 = now();
        if (!error) error = attention_matrix(N, M, D, DV, Q, K, V, plain);
        const double t2 = now();
        if (!error) error = attention_blas(Q, K, V, blas);
        const double t3 = now();
        if (run < 0) continue;
        loop_time[run] = t1 - t0;
        plain_ratio[run] = (t1 - t0) / (t2 - t1);
        blas_ratio[run] = (t1 - t0) / (t3 - t2);
    }
    if (error) return fprintf(stderr, "blas-twin: %s\n", strerror(error)), 2;
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < DV; c++) {
            const double difference = fabs(blas[i][c] - right[i][c]);
            if (!(difference <= deviation)) deviation = difference; /* a NaN stays */
        }
    printf("The three calls given to others: n = m = %d, d = dv = %d, one thread, medians of %d\n", N, D, RUNS);
    printf("  version 0, three loops                %6.2f s\n", median(loop_time, RUNS));
    printf("  version 1, products in plain loops    %6.2f times as fast\n", median(plain_ratio, RUNS));
    printf("  version 1, products by OpenBLAS       %6.2f times as fast, at most %.1e from version 0\n",
           median(blas_ratio, RUNS), deviation);
    if (fflush(stdout) || ferror(stdout)) return perror("blas-twin: standard output"), 2;
    if (deviation <= 1e-5) return 0;
    fprintf(stderr, "blas-twin: %g from version 0, expected at most 1e-5\n", deviation);
    return 1;
}
