/* Version 5 on the worked example: every kernel, and what the blocks of a larger one do.
 *
 * V has 10, 20, 30, 40 in its first column, so the first output is a weighted mean of these; its second column is all
 * ones, so the second output is the sum of the weights. */
#include "attention.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { N = 2, M = 4, D = 4, DV = 2 };
static const float Q[N][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const float K[M][D] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
static const float V[M][DV] = {{10, 1}, {20, 1}, {30, 1}, {40, 1}};

/* version 0, with the scale of 1/2 */
static void expected(double O[N][DV])
{
    for (size_t i = 0; i < N; i++) {
        double w[M], sum = 0;
        for (size_t j = 0; j < M; j++) {
            double s = 0;
            for (size_t k = 0; k < D; k++) s += (double)Q[i][k] * K[j][k];
            sum += w[j] = exp(s / 2);
        }
        for (size_t c = 0; c < DV; c++) {
            O[i][c] = 0;
            for (size_t j = 0; j < M; j++) O[i][c] += w[j] / sum * V[j][c];
        }
    }
}

int main(void)
{
    const cuda_problem problem = {.batch = 1, .heads = 1, .kv_heads = 1,
                                               .n = N, .m = M, .d = D, .dv = DV, .scale = 0.5f};
    const char *device = attention_cuda_device();
    if (!device) return fprintf(stderr, "attention_cuda: there is no GPU; make GPU=0 builds for the CPU\n"), 2;
    double R[N][DV];
    expected(R);
    printf("Version 5: the fused kernel, on %s\n\n", device);
    printf("%-20s [%.4f %.4f] and [%.4f %.4f]\n", "float64", R[0][0], R[0][1], R[1][0], R[1][1]);

    for (int kernel = 0; kernel < ATTENTION_KERNELS; kernel++) {
        float O[N][DV];
        const int error = attention_cuda(&problem, kernel, *Q, *K, *V, *O);
        if (error == ENOTSUP) {
            printf("%-20s %s\n", attention_cuda_name(kernel), attention_cuda_error());
            continue;
        }
        if (error) return fprintf(stderr, "attention_cuda: %s\n", attention_cuda_error()), 2;
        printf("%-20s [%.4f %.4f] and [%.4f %.4f]\n", attention_cuda_name(kernel), O[0][0], O[0][1], O[1][0], O[1][1]);
        const double tolerance = attention_cuda_element_size(kernel) == 4 ? 1e-5 : 0.25; /* bfloat16: 40 / 256 */
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < DV; c++)
                if (!(fabs(O[i][c] - R[i][c]) <= tolerance))
                    return fprintf(stderr, "%s: O[%zu][%zu] = %g, expected %g\n", attention_cuda_name(kernel), i, c,
                                   O[i][c], R[i][c]), 1;
    }
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return 0;
}
