/* Version 3: why S should not be stored, and what goes wrong when each block of it
 * is normalised by itself.
 *
 * V has 10, 20, 30, 40 in its first column, so a right first output is a weighted
 * mean of these; its second column is all ones, so the second output is the sum of
 * the weights, which should be 1. */
#include "attention.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2, M = 4, D = 4, DV = 2, BLOCK = 2 };
static const float Q[N][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const float K[M][D] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
static const float V[M][DV] = {{10, 1}, {20, 1}, {30, 1}, {40, 1}};
static const float I[M][M] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

/* n queries against n keys, one head: the bytes of S */
static void print_size_of_S(void)
{
    static const char unit[] = "kMGT";
    printf("The size of S, float32, one head\n");
    for (size_t n = 1024; n <= 1024 * 1024; n *= 2) {
        double bytes = (double)n * n * sizeof(float) / 1000;
        size_t u = 0;
        for (; bytes >= 1000; bytes /= 1000) u++;
        printf("  n = m = %7zu %8.2f %cB\n", n, bytes, unit[u]);
    }
    printf("\n");
}

/* the weights of one query, block by block, and what they add up to */
static void print_weights(size_t i, size_t block, const float P[M])
{
    float row = 0;
    printf("  query %zu:", i);
    for (size_t j = 0; j < M; j += block) {
        float sum = 0;
        for (size_t k = j; k < j + block && k < M; k++) printf(" %.4f", P[k]), sum += P[k];
        printf("  (sum %.4f)  ", sum);
        row += sum;
    }
    printf("row %.4f\n", row);
}

static int show(size_t block)
{
    float P[N][M], O[N][DV];
    int error = attention_blockwise_bug(N, M, D, M, block, Q, K, I, P); /* the identity gives the weights back */
    if (!error) error = attention_blockwise_bug(N, M, D, DV, block, Q, K, V, O);
    if (error) return error;
    printf("Blocks of %zu keys: weights\n", block);
    for (size_t i = 0; i < N; i++) print_weights(i, block, P[i]);
    printf("  O = [%.4f %.4f] and [%.4f %.4f]\n\n", O[0][0], O[0][1], O[1][0], O[1][1]);
    return 0;
}

/* one query that finds all keys alike: its result is the mean of the values */
static int hide(const char *name, const float v[M][1])
{
    const float q[1][D] = {{0}};
    float wrong[1][1], right[1][1];
    int error = attention_blockwise_bug(1, M, D, 1, BLOCK, q, K, v, wrong);
    if (!error) error = attention_blockwise_bug(1, M, D, 1, M, q, K, v, right);
    if (error) return error;
    printf("  %-6s values %2g %2g %2g %2g:  one block %g, %d blocks %g\n",
           name, v[0][0], v[1][0], v[2][0], v[3][0], right[0][0], (M + BLOCK - 1) / BLOCK, wrong[0][0]);
    return 0;
}

int main(void)
{
    printf("Version 3: each block normalised by itself (wrong on purpose)\n\n");
    print_size_of_S();

    int error = show(M);
    if (!error) error = show(BLOCK);
    if (!error) printf("Where the fault hides, and where it does not\n");
    if (!error) error = hide("quiet", (const float[M][1]){{1}, {-1}, {1}, {-1}});
    if (!error) error = hide("loud", (const float[M][1]){{1}, {1}, {1}, {1}});
    if (error) return fprintf(stderr, "attention_blockwise_bug: %s\n", strerror(error)), 2;
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return 0;
}
