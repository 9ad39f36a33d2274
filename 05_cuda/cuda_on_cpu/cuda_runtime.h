/* The part of CUDA C that the kernels use, for a C++17 compiler: the language first, then the runtime's functions.
 * See cuda_on_cpu.h for what the emulation does; here is what a kernel sees of it. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the language ---- */
#define __global__
#define __device__
#define __host__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
/* Thread-local: each core works on a block of its own, and all of it lies in one place, where hooks.cpp finds it. On a
 * Mac it is a section, and there is one core. Used: else what no line writes would be a constant 0 to the compiler. */
#ifdef __APPLE__
#define __shared__ static __attribute__((used, section("__DATA,cuda_shared")))
#else
#define __shared__ static __thread __attribute__((used))
#endif

struct uint3 { unsigned x, y, z; };
struct dim3 : uint3 {
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : uint3{x, y, z} {}
};

struct cuda_on_cpu_place_in_grid { uint3 thread, block, threads, blocks; };
extern __thread cuda_on_cpu_place_in_grid cuda_on_cpu_now;
#define threadIdx cuda_on_cpu_now.thread
#define blockIdx cuda_on_cpu_now.block
#define blockDim cuda_on_cpu_now.threads
#define gridDim cuda_on_cpu_now.blocks
enum { warpSize = 32 };

/* ---- launches: kernel<<<grid, block, shared>>>(arguments), as launches.sed rewrites it ---- */
#if defined(__SANITIZE_THREAD__)
#define CUDA_ON_CPU_HOOKED true
#elif defined(__has_feature)
#define CUDA_ON_CPU_HOOKED __has_feature(thread_sanitizer)
#else
#define CUDA_ON_CPU_HOOKED false
#endif
#define CUDA_ON_CPU_QUIET __attribute__((no_sanitize("thread"))) /* fetching the arguments is free of charge */

struct cuda_on_cpu_launch {
    dim3 grid, block;
    size_t shared;
    const void *kernel;
    bool hooked; /* the kernel tells of its accesses */
    void (*run)(void *arguments);
    void *arguments;
};
void cuda_on_cpu_run(const cuda_on_cpu_launch &launch);
void *cuda_on_cpu_shared(); /* the block's dynamic shared memory */

template <class Kernel> struct cuda_on_cpu_launcher {
    Kernel *kernel;
    dim3 grid, block;
    size_t shared;
    cuda_on_cpu_launcher(Kernel *k, dim3 g, dim3 b, size_t s = 0) : kernel(k), grid(g), block(b), shared(s) {}
    template <class... Argument> CUDA_ON_CPU_QUIET void operator()(Argument... argument) const
    {
        auto call = [&]() CUDA_ON_CPU_QUIET { kernel(argument...); };
        auto run = [](void *p) CUDA_ON_CPU_QUIET { (*(decltype(call) *)p)(); };
        cuda_on_cpu_run({grid, block, shared, (const void *)kernel, CUDA_ON_CPU_HOOKED, run, &call});
    }
};

/* ---- barriers and warp operations; the last two arguments say where they stand in the source ---- */
#define CUDA_ON_CPU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
void __syncthreads(CUDA_ON_CPU_HERE);
void __syncwarp(unsigned mask = ~0u, CUDA_ON_CPU_HERE);
unsigned __ballot_sync(unsigned mask, int predicate, CUDA_ON_CPU_HERE);
static inline int __any_sync(unsigned mask, int predicate, CUDA_ON_CPU_HERE)
{
    return __ballot_sync(mask, predicate, file, line) != 0;
}
void __threadfence_block(); /* what came before is seen by whoever sees the next atomic or volatile write: */
void __threadfence();       /* in the block; on the device */
int cuda_on_cpu_lane();
enum cuda_on_cpu_shuffle_mode { CUDA_SHFL_IDX, CUDA_SHFL_UP, CUDA_SHFL_DOWN, CUDA_SHFL_XOR };
void cuda_on_cpu_shuffle(unsigned mask, const void *in, void *out, size_t size, cuda_on_cpu_shuffle_mode mode, int b,
                         int width, const char *file, int line);

template <class T>
static inline T cuda_on_cpu_shuffle(unsigned mask, T x, cuda_on_cpu_shuffle_mode mode, int b, int width,
                                    const char *file, int line)
{
    T y;
    cuda_on_cpu_shuffle(mask, &x, &y, sizeof x, mode, b, width, file, line);
    return y;
}
/* a group is width lanes */
template <class T> T __shfl_sync(unsigned mask, T x, int lane, int width = warpSize, CUDA_ON_CPU_HERE)
{
    return cuda_on_cpu_shuffle(mask, x, CUDA_SHFL_IDX, lane, width, file, line);
}
template <class T> T __shfl_xor_sync(unsigned mask, T x, int bits, int width = warpSize, CUDA_ON_CPU_HERE)
{
    return cuda_on_cpu_shuffle(mask, x, CUDA_SHFL_XOR, bits, width, file, line);
}
template <class T> T __shfl_down_sync(unsigned mask, T x, unsigned delta, int width = warpSize, CUDA_ON_CPU_HERE)
{
    return cuda_on_cpu_shuffle(mask, x, CUDA_SHFL_DOWN, (int)delta, width, file, line);
}
template <class T> T __shfl_up_sync(unsigned mask, T x, unsigned delta, int width = warpSize, CUDA_ON_CPU_HERE)
{
    return cuda_on_cpu_shuffle(mask, x, CUDA_SHFL_UP, (int)delta, width, file, line);
}

float atomicAdd(float *address, float x);
int atomicAdd(int *address, int x);

/* ---- arithmetic ---- */
#define __expf expf /* the GPU's own is less exact; the C library has taken the name */
static inline float __fmul_rn(float a, float b) { return a * b; } /* built with -ffp-contract=off */
template <class T> static inline T min(T a, T b) { return a < b ? a : b; }
template <class T> static inline T max(T a, T b) { return a > b ? a : b; }

/* ---- the runtime ---- */
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorIllegalAddress = 700,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
    size_t sharedMemPerBlockOptin;
};
typedef double *cudaEvent_t; /* milliseconds */

cudaError_t cuda_on_cpu_malloc(void **p, size_t bytes);
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) { return cuda_on_cpu_malloc((void **)p, bytes); }
cudaError_t cudaFree(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceSynchronize();
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cuda_on_cpu_set_attribute(const void *kernel, cudaFuncAttribute attribute, int value);
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cuda_on_cpu_set_attribute((const void *)kernel, attribute, value);
}
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);

#endif
