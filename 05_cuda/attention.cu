/* Version 5, the host's part: checks the sizes, brings Q, K and V to the device in the kernel's type, launches, and
 * brings O back. Every call and every launch is checked; the first that fails ends it, with a sentence.
 *
 * Cost: device memory for Q, K, V and O, and for naive n m elements a head; a copy of each on the host in the kernel's
 * type. Who has tensors on the device already calls the launches in kernels.h. */
#include "kernels.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- errors ---- */
static char message[256];

const char *attention_cuda_error(void) { return message; }

int refuse(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error;
}

int check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return 0;
    cudaGetLastError(); /* the runtime forgets it; else the next launch would be blamed */
    const int value = error == cudaErrorMemoryAllocation ? ENOMEM
                    : error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue ? EINVAL : EIO;
    return refuse(value, "%s: %s", what, cudaGetErrorString(error));
}

int check_blocks(size_t blocks, const char *what)
{
    if (blocks <= INT_MAX) return 0;
    return refuse(EOVERFLOW, "%s: these sizes need %zu blocks; a grid takes at most %d", what, blocks, INT_MAX);
}

/* ---- names ---- */
const char *attention_cuda_name(cuda_kernel kernel)
{
    static const char *const names[] = {"naive float32", "naive float16", "naive bfloat16",
                                        "flash float32", "flash_mma float16", "flash_mma bfloat16"};
    return kernel < ATTENTION_KERNELS ? names[kernel] : "unknown kernel";
}

size_t attention_cuda_element_size(cuda_kernel kernel)
{
    return kernel == ATTENTION_NAIVE || kernel == ATTENTION_FLASH ? sizeof(float) : sizeof(__half);
}

cuda_moves attention_cuda_moves(const cuda_problem *s, cuda_kernel kernel)
{
    return kernel <= ATTENTION_NAIVE_BFLOAT16 ? naive_moves(*s)
         : kernel == ATTENTION_FLASH ? flash_moves(*s) : flash_mma_moves(*s);
}

const char *attention_cuda_device(void)
{
    static cudaDeviceProp device;
    return cudaGetDeviceProperties(&device, 0) == cudaSuccess ? device.name : NULL;
}

/* ---- one run ---- */
template <class T> struct tensors {
    T *Q, *K, *V, *O, *S; /* on the device */
    T *staged;            /* on the host: one of them on its way */
    size_t width;         /* of the device's rows, both of d and of dv; 0: as they are */
};

static size_t padded(size_t columns, size_t width) { return width ? width : columns; }

/* asks for all that a run needs, and then says whether it was there */
template <class T> static int allocate(const cuda_problem &a, tensors<T> *t, bool stores_S)
{
    const size_t queries = a.batch * a.heads * a.n, keys = a.batch * a.kv_heads * a.m;
    const size_t d = padded(a.d, t->width), dv = padded(a.dv, t->width);
    const struct {
        T **p;
        size_t count;
    } wanted[] = {{&t->Q, queries * d}, {&t->K, keys * d}, {&t->V, keys * dv}, {&t->O, queries * dv},
                  {&t->S, stores_S ? queries * a.m : 0}};
    size_t most = 0;
    int error = 0;
    for (const auto &w : wanted) {
        most = max(most, w.count);
        const int refused = w.count ? check(cudaMalloc(w.p, w.count * sizeof(T)), "device memory") : 0;
        if (refused) error = refused;
    }
    t->staged = (T *)malloc(most * sizeof(T));
    return t->staged ? error : refuse(ENOMEM, "no %zu bytes of host memory", most * sizeof(T));
}

/* rows of floats become rows of T on the device, zeros at the end of each */
template <class T> static int upload(const tensors<T> &t, T *device, const float *X, size_t rows, size_t columns)
{
    const size_t width = padded(columns, t.width);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < width; c++) t.staged[i * width + c] = T(c < columns ? X[i * columns + c] : 0.0f);
    return check(cudaMemcpy(device, t.staged, rows * width * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
}

template <class T> static int download(const tensors<T> &t, float *X, const T *device, size_t rows, size_t columns)
{
    const size_t width = padded(columns, t.width);
    const int error = check(cudaMemcpy(t.staged, device, rows * width * sizeof(T), cudaMemcpyDeviceToHost),
                            "copy from the device");
    for (size_t i = 0; i < rows && !error; i++)
        for (size_t c = 0; c < columns; c++) X[i * columns + c] = (float)t.staged[i * width + c];
    return error;
}

/* the launch of one kind of kernel, on what lies on the device */
template <class T> static int launch_naive(const cuda_problem &a, const tensors<T> &t)
{
    return naive(a, t.Q, t.K, t.V, t.S, t.O);
}
static int launch_flash(const cuda_problem &a, const tensors<float> &t) { return flash(a, t.Q, t.K, t.V, t.O); }
template <class T> static int launch_flash_mma(const cuda_problem &a, const tensors<T> &t)
{
    return flash_mma(a, t.Q, t.K, t.V, t.O);
}

template <class T>
static int run(const cuda_problem &a, size_t width, bool stores_S,
               int (*launch)(const cuda_problem &, const tensors<T> &),
               const float *Q, const float *K, const float *V, float *O)
{
    const size_t queries = a.batch * a.heads * a.n, keys = a.batch * a.kv_heads * a.m;
    tensors<T> t = {};
    t.width = width;
    int error = allocate(a, &t, stores_S);
    if (!error) error = upload(t, t.Q, Q, queries, a.d);
    if (!error) error = upload(t, t.K, K, keys, a.d);
    if (!error) error = upload(t, t.V, V, keys, a.dv);
    if (!error) error = launch(a, t);
    if (!error) error = check(cudaDeviceSynchronize(), "the kernel");
    if (!error) error = download(t, O, t.O, queries, a.dv);
    cudaFree(t.Q), cudaFree(t.K), cudaFree(t.V), cudaFree(t.O), cudaFree(t.S);
    free(t.staged);
    return error;
}

/* ---- the call ---- */
/* a * b, and whether size_t holds it */
static bool times(size_t *a, size_t b) { return !__builtin_mul_overflow(*a, b, a); }

static int check_problem(const cuda_problem &a, bool stores_S)
{
    if (!a.kv_heads || a.heads % a.kv_heads)
        return refuse(EINVAL, "heads = %zu is not a multiple of kv_heads = %zu", a.heads, a.kv_heads);
    if (a.d < 1 || a.d > 256 || a.dv > 256)
        return refuse(EINVAL, "d = %zu and dv = %zu must lie between 1 and 256", a.d, a.dv);
    size_t queries = a.n, keys = a.m;
    bool fits = times(&queries, a.batch) && times(&queries, a.heads) && times(&keys, a.batch) && times(&keys, a.heads);
    size_t scores = queries;
    fits = fits && times(&queries, 256 * sizeof(float)) && times(&keys, 256 * sizeof(float));
    if (stores_S) fits = fits && times(&scores, a.m) && times(&scores, sizeof(float));
    if (!fits) return refuse(EOVERFLOW, "batch %zu, heads %zu, n %zu, m %zu: more bytes than size_t can count",
                             a.batch, a.heads, a.n, a.m);
    return 0;
}

int attention_cuda(const cuda_problem *s, cuda_kernel kernel,
                   const float *Q, const float *K, const float *V, float *O)
{
    if (!s) return refuse(EINVAL, "no problem was given");
    const cuda_problem a = *s;
    if (a.n == 0 || a.dv == 0 || a.batch == 0 || a.heads == 0) return 0;
    if (int error = check_problem(a, kernel <= ATTENTION_NAIVE_BFLOAT16)) return error;
    if (!Q || !O || (a.m && (!K || !V))) return refuse(EINVAL, "Q, K, V or O is a null pointer");
    if (a.m == 0) {
        for (size_t i = 0; i < a.batch * a.heads * a.n * a.dv; i++) O[i] = 0;
        return 0;
    }
    const size_t width = mma_width(max(a.d, a.dv));
    switch (kernel) {
    case ATTENTION_NAIVE: return run<float>(a, 0, true, launch_naive, Q, K, V, O);
    case ATTENTION_NAIVE_FLOAT16: return run<__half>(a, 0, true, launch_naive, Q, K, V, O);
    case ATTENTION_NAIVE_BFLOAT16: return run<__nv_bfloat16>(a, 0, true, launch_naive, Q, K, V, O);
    case ATTENTION_FLASH: return run<float>(a, 0, false, launch_flash, Q, K, V, O);
    case ATTENTION_FLASH_MMA_FLOAT16: return run<__half>(a, width, false, launch_flash_mma, Q, K, V, O);
    case ATTENTION_FLASH_MMA_BFLOAT16: return run<__nv_bfloat16>(a, width, false, launch_flash_mma, Q, K, V, O);
    default: return refuse(EINVAL, "there is no kernel number %d", (int)kernel);
    }
}
