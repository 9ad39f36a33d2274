/* Every kernel on this GPU: verified against float64, timed, written to a CSV.
 *
 *     gpu_report FILE.csv          batch 4, 16 heads, d 64 and 128, n = m from 1 Ki to 16 Ki, causal and not
 *     gpu_report --tiny FILE.csv   the same code on sizes that a CPU gets through; its times mean nothing
 *
 * Q, K and V are uniform in [-1, 1), computed from their index alone, so that report_torch.py can make the same. A time
 * is the median of ten launches after two, measured with events. TFLOP/s count 4 n m d operations a head, half of them
 * where causal. Three rows of each result are held to float64. naive is left out where S does not fit the device. */
#include "kernels.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Warm_up = 2, Runs = 10 };

struct report {
    FILE *csv;
    double naive_ms; /* of the same sizes and type, for the ratio */
    int wrong;
};

static void stop(int error)
{
    if (!error) return;
    fprintf(stderr, "gpu_report: %s\n", attention_cuda_error());
    exit(2);
}

/* ---- the tensors ---- */
static __host__ __device__ float value(size_t index, unsigned seed)
{
    unsigned u = (unsigned)index * 2654435761u + seed;
    u = (u ^ u >> 16) * 2246822507u;
    u = (u ^ u >> 13) * 3266489909u;
    return (float)(int)((u ^ u >> 16) >> 8) / 8388608 - 1;
}
template <class T> static __global__ void fill(T *X, size_t count, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        X[i] = (T)value(i, seed);
}
template <class T> static T *filled(size_t count, unsigned seed)
{
    T *X;
    stop(check(cudaMalloc(&X, count * sizeof(T)), "device memory"));
    fill<T><<<1024, 256>>>(X, count, seed);
    stop(check(cudaGetLastError(), "fill"));
    return X;
}

/* ---- float64 ---- */
template <class T> static double error_of_row(const cuda_problem &a, size_t head, size_t i, const T *O)
{
    const size_t keys = visible(a, i);
    double *s = (double *)malloc(keys * sizeof *s), max = -INFINITY, sum = 0, worst = 0;
    if (!s) stop(refuse(ENOMEM, "no memory for a row of %zu scores", keys));
    for (size_t j = 0; j < keys; j++) {
        double dot = 0;
        for (size_t c = 0; c < a.d; c++)
            dot += (double)(float)T(value((head * a.n + i) * a.d + c, 1)) *
                   (double)(float)T(value((head * a.m + j) * a.d + c, 2));
        s[j] = dot * a.scale;
        max = fmax(max, s[j]);
    }
    for (size_t j = 0; j < keys; j++) sum += s[j] = exp(s[j] - max);
    for (size_t c = 0; c < a.dv; c++) {
        double o = 0;
        for (size_t j = 0; j < keys; j++) o += s[j] / sum * (float)T(value((head * a.m + j) * a.dv + c, 3));
        const double error = fabs(o - (float)O[c]);
        if (!(error <= worst)) worst = error;
    }
    free(s);
    return worst;
}

/* the first, the middle and the last row of the last head */
template <class T> static double largest_error(const cuda_problem &a, const T *O)
{
    const size_t head = a.batch * a.heads - 1, rows[] = {0, a.n / 2, a.n - 1};
    double worst = 0;
    for (size_t i : rows) {
        T row[256];
        stop(check(cudaMemcpy(row, O + (head * a.n + i) * a.dv, a.dv * sizeof(T), cudaMemcpyDeviceToHost), "O"));
        const double error = error_of_row(a, head, i, row);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/* ---- time ---- */
static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
template <class Launch> static float median_ms(Launch launch)
{
    float ms[Runs];
    cudaEvent_t from, to;
    stop(check(cudaEventCreate(&from), "event")), stop(check(cudaEventCreate(&to), "event"));
    for (int run = -Warm_up; run < Runs; run++) {
        stop(check(cudaEventRecord(from), "event"));
        stop(launch());
        stop(check(cudaEventRecord(to), "event"));
        stop(check(cudaEventSynchronize(to), "the kernel"));
        if (run >= 0) stop(check(cudaEventElapsedTime(&ms[run], from, to), "event"));
    }
    cudaEventDestroy(from), cudaEventDestroy(to);
    qsort(ms, Runs, sizeof *ms, ascending);
    return (ms[Runs / 2 - 1] + ms[Runs / 2]) / 2;
}

template <class T> static void write_row(report *r, const cuda_problem &a, cuda_kernel kernel, float ms, const T *O)
{
    const double tolerance = sizeof(T) == 4 ? 1e-5 : kernel == ATTENTION_FLASH_MMA_BFLOAT16 ? 1e-2 : 1e-3;
    const double error = largest_error(a, O), flop = 4.0 * a.batch * a.heads * a.n * a.m * a.d * (a.causal ? 0.5 : 1);
    const char *name = attention_cuda_name(kernel);
    if (kernel == ATTENTION_NAIVE || kernel == ATTENTION_NAIVE_FLOAT16) r->naive_ms = ms;
    r->wrong += !(error <= tolerance);
    printf("%-19s %6zu %4zu %-6s %10.3f %8.2f", name, a.n, a.d, a.causal ? "causal" : "", ms, flop / ms * 1e-9);
    printf(r->naive_ms > 0 ? " %8.2f" : "        -", r->naive_ms / ms);
    printf("   %.1e%s\n", error, error <= tolerance ? "" : " WRONG");
    fprintf(r->csv, "%s,%zu,%zu,%zu,%zu,%d,%.4f,%.3f,%.3e\n", name, a.batch, a.heads, a.n, a.d, a.causal, ms,
            flop / ms * 1e-9, error);
    fflush(stdout);
}

/* naive, then the fused kernel, on tensors of T */
template <class T>
static void compare(report *r, const cuda_problem &a, cuda_kernel naive_kernel, cuda_kernel kernel,
                    int (*fused)(const cuda_problem &, const T *, const T *, const T *, T *))
{
    const size_t count = a.batch * a.heads * a.n * a.d;
    T *Q = filled<T>(count, 1), *K = filled<T>(count, 2), *V = filled<T>(count, 3), *O = filled<T>(count, 4), *S;
    r->naive_ms = 0;
    if (naive_kernel != ATTENTION_KERNELS && !check(cudaMalloc(&S, a.batch * a.heads * a.n * a.m * sizeof(T)), "S")) {
        write_row(r, a, naive_kernel, median_ms([&] { return naive<T>(a, Q, K, V, S, O); }), O);
        cudaFree(S);
    }
    if (fused(a, Q, K, V, O) == ENOTSUP) printf("%s\n", attention_cuda_error());
    else write_row(r, a, kernel, median_ms([&] { return fused(a, Q, K, V, O); }), O);
    cudaFree(Q), cudaFree(K), cudaFree(V), cudaFree(O);
}

/* ---- where exp overflows ---- */
/* bisection over the positive numbers of T, whose bits are in their order: the largest whose exp is finite */
template <class T, class Bits> static __global__ void last_finite_exp(Bits one, Bits infinity, float *result)
{
    Bits low = one, high = infinity;
    while (high - low > 1) {
        const Bits middle = low + (high - low) / 2;
        T x;
        memcpy(&x, &middle, sizeof x);
        const T y = (T)expf((float)x);
        if (isinf((float)y)) high = middle;
        else low = middle, *result = (float)x;
    }
}
template <class T, class Bits> static void print_threshold(const char *type, Bits one, Bits infinity)
{
    float *device, host;
    stop(check(cudaMalloc(&device, sizeof host), "device memory"));
    last_finite_exp<T, Bits><<<1, 1>>>(one, infinity, device);
    stop(check(cudaGetLastError(), "exp"));
    stop(check(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost), "exp"));
    cudaFree(device);
    printf("exp overflows in %-8s above %.4f\n", type, host);
}

int main(int argc, char **argv)
{
    const bool tiny = argc == 3 && strcmp(argv[1], "--tiny") == 0;
    if (argc != 2 + tiny) return fprintf(stderr, "usage: gpu_report [--tiny] FILE.csv\n"), 2;
    const char *device = attention_cuda_device();
    if (!device) return fprintf(stderr, "gpu_report: there is no GPU\n"), 2;
    report r = {fopen(argv[argc - 1], "w"), 0, 0};
    if (!r.csv) return perror(argv[argc - 1]), 2;
    printf("%s%s\n\n", device, tiny ? "; tiny sizes, whose times mean nothing" : "");
    print_threshold<__half, uint16_t>("float16", 0x3c00, 0x7c00);
    print_threshold<__nv_bfloat16, uint16_t>("bfloat16", 0x3f80, 0x7f80);
    print_threshold<float, uint32_t>("float32", 0x3f800000, 0x7f800000);
    printf("\nkernel                   n    d                ms  TFLOP/s  naive/   error\n");
    fprintf(r.csv, "kernel,batch,heads,n,d,causal,ms,tflops,error\n");
    for (size_t d = tiny ? 16 : 64; d <= (tiny ? 32 : 128); d *= 2)
        for (size_t n = tiny ? 32 : 1024; n <= (tiny ? 64 : 16384); n *= 2)
            for (int causal = 0; causal < 2; causal++) {
                const size_t batch = tiny ? 1 : 4, heads = tiny ? 2 : 16;
                const cuda_problem a = {batch, heads, heads, n, n, d, d, 1 / sqrtf((float)d), causal == 1};
                compare<float>(&r, a, ATTENTION_NAIVE, ATTENTION_FLASH, flash);
                compare<__half>(&r, a, ATTENTION_NAIVE_FLOAT16, ATTENTION_FLASH_MMA_FLOAT16, flash_mma<__half>);
                compare<__nv_bfloat16>(&r, a, ATTENTION_KERNELS, ATTENTION_FLASH_MMA_BFLOAT16,
                                       flash_mma<__nv_bfloat16>);
            }
    if (fclose(r.csv)) return perror(argv[argc - 1]), 2;
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return r.wrong ? 1 : 0;
}
