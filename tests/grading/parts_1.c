/* Exercise 1 while some of its functions are still to be written: is this one right by itself? The student's file is
 * part of this one, because its functions are static.
 *
 *     ./parts scores | weighted_sum | softmax_rows        exit status 0: right */
#include "student.c"
#include <math.h>
#include <stdbool.h>

enum { N = 3, M = 5, D = 4, DV = 2 };

static bool close_to(float found, double right) { return fabs((double)found - right) <= 1e-5 * (1 + fabs(right)); }

/* numbers without a pattern */
static void fill(size_t count, float *x)
{
    for (size_t i = 0; i < count; i++) x[i] = (float)sin(1.7 * (double)(i * i + 3 * i + 1));
}

static bool right_scores(void)
{
    float Q[N][D], K[M][D], S[N][M];
    bool right = true;
    fill(N * D, Q[0]), fill(M * D, K[0]), fill(N * M, S[0]);
    scores(N, M, D, Q, K, S);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            double dot = 0;
            for (size_t k = 0; k < D; k++) dot += (double)Q[i][k] * K[j][k];
            right &= close_to(S[i][j], dot / sqrt(D));
        }
    return right;
}

static bool right_weighted_sum(void)
{
    float P[N][M], V[M][DV], O[N][DV] = {{0}};
    bool right = true;
    fill(N * M, P[0]), fill(M * DV, V[0]);
    weighted_sum(N, M, DV, P, V, O);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < DV; c++) {
            double sum = 0;
            for (size_t j = 0; j < M; j++) sum += (double)P[i][j] * V[j][c];
            right &= close_to(O[i][c], sum);
        }
    return right;
}

static bool right_softmax_rows(void)
{
    float S[N][M], P[N][M];
    bool right = true;
    fill(N * M, S[0]), fill(N * M, P[0]);
    softmax_rows(N, M, P);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < M; j++) sum += exp((double)S[i][j]);
        for (size_t j = 0; j < M; j++) right &= close_to(P[i][j], exp((double)S[i][j]) / sum);
    }
    return right;
}

int main(int count, char **words)
{
    const char *part = count == 2 ? words[1] : "";
    return !(*part == 'w' ? right_weighted_sum() : part[1] == 'c' ? right_scores() : right_softmax_rows());
}
