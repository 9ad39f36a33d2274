/* Version 0 on an example small enough to check by hand: two queries ask a
 * dictionary of four keys, and each gets a mixture of the four values.
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

static void print_query(size_t i, const double w[M], const double O[DV])
{
    double exps = 0, weights = 0;
    printf("query %zu = [%g %g %g %g]\n", i, Q[i][0], Q[i][1], Q[i][2], Q[i][3]);
    printf("  key          score = q.k / 2   exp(score)   weight   value\n");
    for (size_t j = 0; j < M; j++) {
        double s = 0;
        for (size_t k = 0; k < D; k++) s += Q[i][k] * K[j][k];
        s /= sqrt(D);
        exps += exp(s), weights += w[j];
        printf("  [%g %g %g %g] %15g %14.4f %9.4f   [%g %g]\n",
               K[j][0], K[j][1], K[j][2], K[j][3], s, exp(s), w[j], V[j][0], V[j][1]);
    }
    printf("  sum %36.4f %9.4f\n", exps, weights);
    printf("  output = weights times values = [%.4f %.4f]\n\n", O[0], O[1]);
}

int main(void)
{
    double O[N][DV], W[N][M];
    int error = attention_loop(N, M, D, DV, Q, K, V, O);
    if (!error) error = attention_loop(N, M, D, M, Q, K, I, W); /* the identity as values gives the weights back */
    if (error) return fprintf(stderr, "attention_loop: %s\n", strerror(error)), 2;

    printf("Version 0: three loops, float64. n = %d queries, m = %d keys, d = %d, dv = %d\n\n", N, M, D, DV);
    for (size_t i = 0; i < N; i++) print_query(i, W[i], O[i]);
    printf("Storage beside input and output: %zu bytes, one row of weights.\n", M * sizeof(double));
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return 0;
}
