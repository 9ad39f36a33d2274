/* Version 4 on the worked example: the account of each query after every block; then attention_tiled tile by tile,
 * which --trace FILE.csv also writes down.
 *
 * In query 0 the second block brings a larger score, so what was entered before is
 * rescaled; in query 1 it does not, and the rescale factor is 1.
 *
 * V has 10, 20, 30, 40 in its first column, so the first output is a weighted
 * mean of these; its second column is all ones, so the second output is the sum
 * of the weights. */
#include "attention.h"
#include "tiles.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2, M = 4, D = 4, DV = 2, BLOCK = 2 };
static const float Q[N][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const float K[M][D] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
static const float V[M][DV] = {{10, 1}, {20, 1}, {30, 1}, {40, 1}};

/* one query's account, step by step, into O: the loop of attention_online with its numbers printed */
static void print_account(size_t i, float O[DV])
{
    float max = -INFINITY, sum = 0;
    O[0] = O[1] = 0;
    printf("query %zu\n  block    scores   max  rescale      sum   accumulator\n", i);
    for (size_t j = 0; j < M; j += BLOCK) {
        const size_t keys = M - j < BLOCK ? M - j : BLOCK; /* the last block may be shorter */
        float s[BLOCK], new_max = max;
        for (size_t k = 0; k < keys; k++) {
            s[k] = 0;
            for (size_t c = 0; c < D; c++) s[k] += Q[i][c] * K[j + k][c];
            s[k] /= sqrtf(D);
            new_max = fmaxf(new_max, s[k]);
        }
        const float rescale = expf(max - new_max);
        sum *= rescale, O[0] *= rescale, O[1] *= rescale;
        for (size_t k = 0; k < keys; k++) {
            const float p = expf(s[k] - new_max);
            sum += p, O[0] += p * V[j + k][0], O[1] += p * V[j + k][1];
        }
        max = new_max;
        printf("  %zu       ", j / BLOCK);
        for (size_t k = 0; k < keys; k++) printf(" %3g", s[k]);
        printf(" %5g %8.4f %8.4f   [%.4f %.4f]\n", max, rescale, sum, O[0], O[1]);
    }
    O[0] /= sum, O[1] /= sum;
    printf("  divided by the sum: [%.4f %.4f]\n\n", O[0], O[1]);
}

int main(int argc, char **argv)
{
    const char *trace = argc == 3 && !strcmp(argv[1], "--trace") ? argv[2] : NULL;
    if (argc > 1 && !trace) return fprintf(stderr, "usage: %s [--trace FILE.csv]\n", argv[0]), 2;

    float O[N][DV], step[N][DV];
    const int error = attention_online(N, M, D, DV, BLOCK, Q, K, V, O);
    if (error) return fprintf(stderr, "attention_online: %s\n", strerror(error)), 2;

    printf("Version 4: online softmax, blocks of %d keys\n\n", BLOCK);
    for (size_t i = 0; i < N; i++) print_account(i, step[i]);
    printf("attention_online:     [%.4f %.4f] and [%.4f %.4f]\n", O[0][0], O[0][1], O[1][0], O[1][1]);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < DV; c++)
            if (!(fabsf(O[i][c] - step[i][c]) <= 1e-5f))
                return fprintf(stderr, "attention_online: O[%zu][%zu] = %g, the steps above give %g\n",
                               i, c, O[i][c], step[i][c]), 1;
    printf("Storage beside input and output: n (block + 2) floats, %zu bytes here, whatever m is.\n",
           N * (BLOCK + 2) * sizeof(float));
    const int status = show_tiles(trace);
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return status;
}
