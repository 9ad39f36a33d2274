/* The bytes that the kernels request from global memory: counted, beside the formulas of kernels' loops.
 *
 *     bytes             d = 64, n = m = 256, 512, 1024: elements and bytes, and how many times fewer than naive
 *     bytes --traffic   n = m = 256: sectors of 32 bytes per request, and bank conflicts in shared memory
 *
 * Runs on the CPU only, with the kernels built with hooks. Caches are not modelled: these are the bytes that the
 * kernels ask for, of which a GPU's caches serve some. Exit code 1 if count and formula differ. */
#include "attention.h"
#include "cuda_on_cpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 64 };

/* runs one kernel at n = m, d = 64, one head, on zeros; the counts are in cuda_on_cpu.counts */
static cuda_moves count(cuda_kernel kernel, size_t n)
{
    const cuda_problem problem = {.batch = 1, .heads = 1, .kv_heads = 1, .n = n, .m = n, .d = D, .dv = D,
                                               .scale = 0.125f};
    float *X = calloc(4 * n * D, sizeof *X);
    if (!X) exit((fprintf(stderr, "bytes: no memory for n = %zu\n", n), 2));
    memset(&cuda_on_cpu.counts, 0, sizeof cuda_on_cpu.counts);
    if (attention_cuda(&problem, kernel, X, X + n * D, X + 2 * n * D, X + 3 * n * D))
        exit((fprintf(stderr, "bytes: %s\n", attention_cuda_error()), 2));
    free(X);
    return attention_cuda_moves(&problem, kernel);
}

/* one row of the table; returns whether formula and count agree */
static int print_row(cuda_kernel kernel, size_t n, unsigned long long naive[ATTENTION_KERNELS])
{
    const cuda_moves moves = count(kernel, n);
    const struct cuda_on_cpu_counts *c = &cuda_on_cpu.counts;
    const size_t size = attention_cuda_element_size(kernel);
    const unsigned long long bytes = c->global_read + c->global_written;
    const int agree = c->global_read == moves.read * size && c->global_written == moves.written * size;
    naive[kernel] = bytes;
    const cuda_kernel same_type[ATTENTION_KERNELS] = {0, 1, 2, 0, 1, 2};
    printf("%-17s %6zu %11llu %11llu %11llu %11zu%s %6.2f %12llu\n", attention_cuda_name(kernel), n, bytes / size,
           c->global_read, c->global_written, (moves.read + moves.written) * size, agree ? "" : " WRONG",
           (double)naive[same_type[kernel]] / bytes, c->shared_read + c->shared_written);
    return agree;
}

static void print_traffic(cuda_kernel kernel)
{
    count(kernel, 256);
    const struct cuda_on_cpu_counts *c = &cuda_on_cpu.counts;
    printf("%-17s %12.2f %13.2f %16.2f\n", attention_cuda_name(kernel), (double)c->sectors[0] / c->requests[0],
           (double)c->sectors[1] / c->requests[1], (double)c->passes / c->passes_needed);
}

/* Did all that was printed arrive? */
static int written(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return 1;
    perror("standard output");
    return 0;
}

int main(int argc, char **argv)
{
    static const cuda_kernel kernels[] = {ATTENTION_NAIVE, ATTENTION_FLASH, ATTENTION_NAIVE_FLOAT16,
                                                         ATTENTION_FLASH_MMA_FLOAT16};
    const size_t count = sizeof kernels / sizeof *kernels;
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--traffic")))
        return fprintf(stderr, "usage: bytes [--traffic]\n"), 2;
    if (argc == 2) {
        cuda_on_cpu.traffic = 1;
        printf("n = m = 256, d = 64, one head       sectors of 32 bytes per request   passes per pass\n"
               "kernel                    reads        writes   without conflicts\n");
        for (size_t i = 0; i < count; i++) print_traffic(kernels[i]);
        return written() ? 0 : 2;
    }
    int wrong = 0;
    printf("Requested from global memory, d = 64, one head; caches are not modelled\n\n"
           "kernel             n = m    elements  bytes read     written  by formula  naive/  shared bytes\n");
    unsigned long long naive[ATTENTION_KERNELS] = {0};
    for (size_t n = 256; n <= 1024; n *= 2)
        for (size_t i = 0; i < count; i++) wrong += !print_row(kernels[i], n, naive);
    return !written() ? 2 : wrong ? 1 : 0;
}
