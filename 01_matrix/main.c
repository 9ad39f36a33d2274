/* Version 1 on the worked example: the three matrices S, P and O as they come out
 * of the three calls.
 *
 * V has 10, 20, 30, 40 in its first column, so the first output is a weighted
 * mean of these; its second column is all ones, so the second output is the sum
 * of the weights. */
#include "attention.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2, M = 4, D = 4, DV = 2 };
static const float Q[N][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const float K[M][D] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
static const float V[M][DV] = {{10, 1}, {20, 1}, {30, 1}, {40, 1}};
static const float I[M][M] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

static void print_matrix(const char *title, size_t rows, size_t columns, const float A[rows][columns])
{
    printf("%s, %zu by %zu\n", title, rows, columns);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) printf("%9.4f", A[i][j]);
        printf("\n");
    }
    printf("\n");
}

int main(void)
{
    float S[N][M], P[N][M], O[N][DV];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            S[i][j] = 0;
            for (size_t k = 0; k < D; k++) S[i][j] += Q[i][k] * K[j][k];
            S[i][j] /= sqrtf(D);
        }
    int error = attention_matrix(N, M, D, M, Q, K, I, P); /* the identity as values gives the weights back */
    if (!error) error = attention_matrix(N, M, D, DV, Q, K, V, O);
    if (error) return fprintf(stderr, "attention_matrix: %s\n", strerror(error)), 2;

    printf("Version 1: three calls, float32\n\n");
    print_matrix("S = Q K^T / sqrt(d)", N, M, S);
    print_matrix("P = softmax of every row of S", N, M, P);
    print_matrix("O = P V", N, DV, O);
    printf("Storage beside input and output: S, then P in its place, n m floats:\n");
    for (size_t n = 4; n <= 65536; n *= 16) {
        const size_t bytes = n * n * sizeof(float);
        printf("  n = m = %-6zu %14zu bytes\n", n, bytes);
    }
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return 0;
}
