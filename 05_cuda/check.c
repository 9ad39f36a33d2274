/* Every kernel on the CPU with all checks on: races, uninitialised reads, illegal addresses, barriers that not all
 * threads reach. Whatever is found is reported on stderr, once per place.
 *
 * Shapes that fill their tiles and shapes that do not, causal and not; each in ascending, descending and random order
 * of threads, which must give the same bits, results that version 0 agrees with, and the bytes of the formulas.
 * `check NAME` runs only the kernels whose names begin so. Exit code 1 if anything was found. */
#include "attention.h"
#include "cuda_on_cpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cuda_problem shapes[] = {
    /* batch, heads, kv_heads, n, m, d, dv, scale, causal */
    {1, 1, 1, 1, 1, 1, 1, 1, false},
    {1, 2, 1, 33, 65, 46, 16, 0.1474f, false},
    {2, 2, 2, 65, 33, 16, 64, 0.25f, true},
    {1, 1, 1, 100, 200, 80, 80, 0.1118f, true},
    {1, 1, 1, 128, 128, 64, 64, 0.125f, false},
    {1, 1, 1, 70, 70, 256, 200, 0.0625f, true},
};
enum { Shapes = sizeof shapes / sizeof *shapes };

static void *get(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) exit((fprintf(stderr, "check: no memory for %zu elements\n", count), 2));
    return p;
}

/* numbers from -1 to 1, the same on every machine */
static float *filled(size_t count, unsigned seed)
{
    float *X = get(count, sizeof *X);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        X[i] = (int)(seed >> 8) / 8388608.0f - 1;
    }
    return X;
}

/* version 0 for one head */
static void reference(const cuda_problem *s, const float *Q, const float *K, const float *V, double *O)
{
    double *w = get(s->m, sizeof *w);
    for (size_t i = 0; i < s->n; i++) {
        const size_t keys = !s->causal ? s->m : i + 1 + s->m > s->n ? i + 1 + s->m - s->n : 0;
        double sum = 0;
        for (size_t j = 0; j < keys; j++) {
            double dot = 0;
            for (size_t k = 0; k < s->d; k++) dot += (double)Q[i * s->d + k] * K[j * s->d + k];
            sum += w[j] = exp(dot * s->scale);
        }
        for (size_t c = 0; c < s->dv; c++) {
            O[i * s->dv + c] = 0;
            for (size_t j = 0; j < keys; j++) O[i * s->dv + c] += w[j] / sum * V[j * s->dv + c];
        }
    }
    free(w);
}

/* whether one run moved the bytes that the formulas say */
static bool counted_right(cuda_kernel kernel, const cuda_problem *s)
{
    const cuda_moves moves = attention_cuda_moves(s, kernel);
    const size_t size = attention_cuda_element_size(kernel);
    const struct cuda_on_cpu_counts *c = &cuda_on_cpu.counts;
    return c->global_read == moves.read * size && c->global_written == moves.written * size;
}

/* one kernel, one shape, all orders: the largest deviation from version 0; NaN if orders or bytes are wrong */
static double deviation(cuda_kernel kernel, const cuda_problem *s)
{
    const size_t heads = s->batch * s->heads, nq = s->n * s->d, nk = s->m * s->d, nv = s->m * s->dv, no = s->n * s->dv;
    float *Q = filled(heads * nq, 1), *K = filled(heads * nk, 2), *V = filled(heads * nv, 3);
    float *O = get(heads * no, sizeof *O), *first = get(heads * no, sizeof *first);
    double *R = get(no, sizeof *R), worst = 0;
    for (int order = CUDA_ASCENDING; order <= CUDA_RANDOM; order++) {
        cuda_on_cpu.order = order;
        memset(&cuda_on_cpu.counts, 0, sizeof cuda_on_cpu.counts);
        if (attention_cuda(s, kernel, Q, K, V, O))
            exit((fprintf(stderr, "%s: %s\n", attention_cuda_name(kernel), attention_cuda_error()),
                  cuda_on_cpu.reports ? 1 : 2));
        if (order == CUDA_ASCENDING) memcpy(first, O, heads * no * sizeof *O);
        else if (memcmp(first, O, heads * no * sizeof *O)) worst = NAN;
        if (!counted_right(kernel, s)) worst = NAN;
    }
    for (size_t h = 0; h < heads; h++) {
        const size_t kv = h / s->heads * s->kv_heads + h % s->heads / (s->heads / s->kv_heads);
        reference(s, Q + h * nq, K + kv * nk, V + kv * nv, R);
        for (size_t i = 0; i < no; i++) {
            const double error = fabs(O[h * no + i] - R[i]);
            if (!(error <= worst)) worst = isnan(worst) ? worst : error;
        }
    }
    free(Q), free(K), free(V), free(O), free(first), free(R);
    return worst;
}

int main(int argc, char **argv)
{
    static const double tolerance[ATTENTION_KERNELS] = {1e-5, 5e-3, 5e-2, 1e-5, 5e-3, 5e-2};
    int wrong = 0;
    cuda_on_cpu.check = 1;
    cuda_on_cpu.seed = 1;
    printf("kernel               launches  deviation  reports\n");
    for (int kernel = 0; kernel < ATTENTION_KERNELS; kernel++) {
        const int before = cuda_on_cpu.reports;
        double worst = 0;
        if (argc > 1 && strncmp(attention_cuda_name(kernel), argv[1], strlen(argv[1]))) continue;
        for (size_t i = 0; i < Shapes; i++) {
            const double error = deviation(kernel, &shapes[i]);
            if (!(error <= worst)) worst = error;
        }
        const int reports = cuda_on_cpu.reports - before;
        wrong += !(worst <= tolerance[kernel]) || reports;
        printf("%-20s %8d    %.1e  %7d\n", attention_cuda_name(kernel), 3 * Shapes, worst, reports);
    }
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return wrong ? 1 : 0;
}
