/* The part of CUDA C that kernels use, for a C++17 compiler: the language, launches, barriers, warp operations,
 * atomics; arithmetic, vectors and the runtime's functions in headers of their own. See cuda_on_cpu.h for what the
 * emulation does; here is what a kernel sees of it. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cuda_math.h"
#include "cuda_vectors.h"
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

/* ---- the language ---- */
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
/* Thread-local: each core works on a block of its own, and all of it lies in one place, where hooks.cpp finds it. On a
 * Mac it is a section, and there is one core. Used: else what no line writes would be a constant 0 to the compiler. */
#ifdef __APPLE__
#define __shared__ static __attribute__((used, section("__DATA,cuda_shared")))
#else
#define __shared__ static __thread __attribute__((used))
#endif
/* what translate.awk puts before __device__ variables; memory.cpp finds them by the sections' names */
#ifdef __ELF__
#define CUDA_ON_CPU_DEVICE __attribute__((section("cuda_on_cpu_device")))
#define CUDA_ON_CPU_MANAGED __attribute__((section("cuda_on_cpu_managed")))
#else
#define CUDA_ON_CPU_DEVICE
#define CUDA_ON_CPU_MANAGED
#endif
#define CUDA_ON_CPU_INLINE static inline __attribute__((always_inline)) /* so that a report names the kernel's line */

struct cuda_on_cpu_place_in_grid { uint3 thread = {}, block = {}; dim3 threads, blocks; };
extern __thread cuda_on_cpu_place_in_grid cuda_on_cpu_now;
#define threadIdx cuda_on_cpu_now.thread
#define blockIdx cuda_on_cpu_now.block
#define blockDim cuda_on_cpu_now.threads
#define gridDim cuda_on_cpu_now.blocks
constexpr int warpSize = 32;

/* ---- launches: kernel<<<grid, block, shared, stream>>>(arguments), as translate.awk rewrites it ---- */
#if defined(__SANITIZE_THREAD__)
#define CUDA_ON_CPU_HOOKED true
#elif defined(__has_feature)
#define CUDA_ON_CPU_HOOKED __has_feature(thread_sanitizer)
#else
#define CUDA_ON_CPU_HOOKED false
#endif

struct cuda_on_cpu_launch {
    dim3 grid, block;
    size_t shared;
    const void *kernel; /* NULL: not known */
    bool hooked; /* the kernel tells of its accesses */
    void (*run)(void *arguments);
    void *arguments;
};
void cuda_on_cpu_run(const cuda_on_cpu_launch &launch);
void cuda_on_cpu_launch_bounds(unsigned threads, unsigned blocks = 0, unsigned clusters = 0); /* a kernel begins so */
void *cuda_on_cpu_shared(); /* the block's dynamic shared memory */
template <class Pointer> struct cuda_on_cpu_dynamic {
    operator Pointer() const { return (Pointer)cuda_on_cpu_shared(); }
};
typedef struct cuda_on_cpu_stream *cudaStream_t; /* all are in order: each call is done when it returns */

struct cuda_on_cpu_configuration {
    dim3 grid, block;
    size_t shared;
    cuda_on_cpu_configuration(dim3 g, dim3 b, size_t s = 0, cudaStream_t = NULL) : grid(g), block(b), shared(s) {}
    template <class Call> CUDA_ON_CPU_QUIET void run(const void *kernel, Call call) const
    {
        auto run = [](void *p) CUDA_ON_CPU_QUIET { (*(Call *)p)(); };
        cuda_on_cpu_run({grid, block, shared, kernel, CUDA_ON_CPU_HOOKED, run, &call});
    }
};
template <class Call, class... Parameter> struct cuda_on_cpu_launcher {
    void (*kernel)(Parameter...);
    Call call;
    cuda_on_cpu_configuration configuration;
    CUDA_ON_CPU_QUIET void operator()(Parameter... p) const
    {
        configuration.run((const void *)kernel, [&]() CUDA_ON_CPU_QUIET { kernel(p...); });
    }
    template <class... Argument> /* the last ones by default */
    CUDA_ON_CPU_QUIET typename std::enable_if<(sizeof...(Argument) < sizeof...(Parameter))>::type
    operator()(Argument... a) const
    {
        configuration.run((const void *)kernel, [&]() CUDA_ON_CPU_QUIET { call(a...); });
    }
};
template <class Call, class... Parameter>
cuda_on_cpu_launcher(void (*)(Parameter...), Call, cuda_on_cpu_configuration)
    -> cuda_on_cpu_launcher<Call, Parameter...>;
#define CUDA_ON_CPU_CALL(kernel) [=](auto... a) CUDA_ON_CPU_QUIET { kernel(a...); }
#define CUDA_ON_CPU_LAUNCH(kernel, ...)                                                                                \
    cuda_on_cpu_launcher{kernel, CUDA_ON_CPU_CALL(kernel), cuda_on_cpu_configuration(__VA_ARGS__)}
/* a kernel whose template arguments follow from those of the call */
template <class Call> struct cuda_on_cpu_deduced {
    Call call;
    cuda_on_cpu_configuration configuration;
    template <class... Argument> CUDA_ON_CPU_QUIET void operator()(Argument... a) const
    {
        configuration.run(NULL, [&]() CUDA_ON_CPU_QUIET { call(a...); });
    }
};
template <class Call> cuda_on_cpu_deduced(Call, cuda_on_cpu_configuration) -> cuda_on_cpu_deduced<Call>;
#define CUDA_ON_CPU_DEDUCED(kernel, ...)                                                                               \
    cuda_on_cpu_deduced{CUDA_ON_CPU_CALL(kernel), cuda_on_cpu_configuration(__VA_ARGS__)}

/* ---- barriers and warp operations; the last two arguments say where they stand in the source ---- */
#define CUDA_ON_CPU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
void __syncthreads(CUDA_ON_CPU_HERE);
void __syncwarp(unsigned mask = ~0u, CUDA_ON_CPU_HERE);
unsigned __ballot_sync(unsigned mask, int predicate, CUDA_ON_CPU_HERE);
int __syncthreads_count(int predicate, CUDA_ON_CPU_HERE);
static inline int __syncthreads_or(int p, CUDA_ON_CPU_HERE) { return __syncthreads_count(p, file, line) != 0; }
static inline int __syncthreads_and(int p, CUDA_ON_CPU_HERE) { return __syncthreads_count(!p, file, line) == 0; }
unsigned __activemask(CUDA_ON_CPU_HERE); /* the lanes that come to this place before all others wait */
static inline int __all_sync(unsigned mask, int p, CUDA_ON_CPU_HERE) { return !__ballot_sync(mask, !p, file, line); }
static inline int __any_sync(unsigned mask, int p, CUDA_ON_CPU_HERE) { return __ballot_sync(mask, p, file, line) != 0; }
void __threadfence_block(); /* what came before is seen by whoever sees the next atomic or volatile write: */
void __threadfence();       /* in the block; on the device */
int cuda_on_cpu_lane();
enum cuda_on_cpu_shuffle_mode { CUDA_SHFL_IDX, CUDA_SHFL_UP, CUDA_SHFL_DOWN, CUDA_SHFL_XOR };
void cuda_on_cpu_shuffle(unsigned mask, const void *in, void *out, size_t size, cuda_on_cpu_shuffle_mode mode, int b,
                         int width, const char *file, int line);

/* a group is width lanes; b: the lane, by how many, or which bits */
#define CUDA_ON_CPU_SHUFFLE(name, mode)                                                                                \
    template <class T> T name(unsigned mask, T x, int b, int width = warpSize, CUDA_ON_CPU_HERE)                       \
    {                                                                                                                  \
        T y;                                                                                                           \
        cuda_on_cpu_shuffle(mask, &x, &y, sizeof x, mode, b, width, file, line);                                       \
        return y;                                                                                                      \
    }
CUDA_ON_CPU_SHUFFLE(__shfl_sync, CUDA_SHFL_IDX)
CUDA_ON_CPU_SHUFFLE(__shfl_xor_sync, CUDA_SHFL_XOR)
CUDA_ON_CPU_SHUFFLE(__shfl_down_sync, CUDA_SHFL_DOWN)
CUDA_ON_CPU_SHUFFLE(__shfl_up_sync, CUDA_SHFL_UP)

/* what each lane of the mask brings, for all of them; votes on values are made of it. Returns who took part */
unsigned cuda_on_cpu_gather(unsigned mask, const void *in, void *all, size_t size, int kind, const char *file,
                            int line);

template <class T> static inline unsigned __match_any_sync(unsigned mask, T x, CUDA_ON_CPU_HERE)
{
    T all[32];
    unsigned same = 0;
    const unsigned there = cuda_on_cpu_gather(mask, &x, all, sizeof x, 0, file, line);
    for (int l = 0; l < 32; l++) same |= (unsigned)(there >> l & 1 && memcmp(&all[l], &x, sizeof x) == 0) << l;
    return same;
}
template <class T> static inline unsigned __match_all_sync(unsigned mask, T x, int *all, CUDA_ON_CPU_HERE)
{
    const unsigned same = __match_any_sync(mask, x, file, line);
    *all = same == mask;
    return *all ? mask : 0;
}
/* f over the values of the mask's lanes, in ascending order */
template <class T, class F>
static inline T cuda_on_cpu_reduce(unsigned mask, T x, F f, int kind, const char *file, int line)
{
    alignas(16) unsigned char all[32][sizeof(T)];
    unsigned there = cuda_on_cpu_gather(mask, &x, all, sizeof x, kind, file, line);
    memcpy(&x, all[__builtin_ctz(there)], sizeof x);
    for (there &= there - 1; there; there &= there - 1) x = f(x, *(T *)all[__builtin_ctz(there)]);
    return x;
}
#define CUDA_ON_CPU_REDUCE(name, kind, result)                                                                         \
    template <class T> static inline T __reduce_##name##_sync(unsigned mask, T x, CUDA_ON_CPU_HERE)                    \
    {                                                                                                                  \
        return cuda_on_cpu_reduce(mask, x, [](T a, T b) -> T { return result; }, kind, file, line);                    \
    }
CUDA_ON_CPU_REDUCE(add, 1, a + b)
CUDA_ON_CPU_REDUCE(min, 2, min(a, b))
CUDA_ON_CPU_REDUCE(max, 3, max(a, b))
CUDA_ON_CPU_REDUCE(and, 4, a & b)
CUDA_ON_CPU_REDUCE(or, 5, a | b)
CUDA_ON_CPU_REDUCE(xor, 6, a ^ b)

/* ---- memory ---- */
static inline void __threadfence_system() { __threadfence(); }
template <class T> CUDA_ON_CPU_INLINE T __ldg(const T *p) { return *p; }
template <class T> CUDA_ON_CPU_INLINE T __ldcg(const T *p) { return *p; }
template <class T> CUDA_ON_CPU_INLINE T __ldcs(const T *p) { return *p; }
template <class T> CUDA_ON_CPU_INLINE void __stcg(T *p, T x) { *p = x; }
template <class T> CUDA_ON_CPU_INLINE void __stcs(T *p, T x) { *p = x; }

/* cp.async: 4, 8 or 16 aligned bytes from global to shared memory, the last so many of them zeros instead. The copy
 * lands at the wait, and no earlier; on a GPU it may land at any moment until then */
void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0);
void __pipeline_commit();               /* what was set out since the last commit is now a group */
void __pipeline_wait_prior(int groups); /* waits for all groups but the newest so many */

void cuda_on_cpu_atomic(void *p, size_t bytes, void (*update)(void *p, void *with), void *with);
template <class T, class F> CUDA_ON_CPU_INLINE T cuda_on_cpu_atomic(T *p, F f) /* *p = f(*p); returns what was there */
{
    struct With { F f; T old; } with = {f, T()};
    const auto update = [](void *p, void *w) CUDA_ON_CPU_QUIET {
        With *with = (With *)w;
        with->old = *(T *)p;
        *(T *)p = with->f(with->old);
    };
    cuda_on_cpu_atomic((void *)p, sizeof *p, update, &with);
    return with.old;
}
template <class T> struct cuda_on_cpu_same { typedef T type; };
#define CUDA_ON_CPU_ATOMIC_(name, result)                                                                              \
    template <class T> CUDA_ON_CPU_INLINE T name(T *p, typename cuda_on_cpu_same<T>::type x)                           \
    {                                                                                                                  \
        return cuda_on_cpu_atomic(p, [x](T old) CUDA_ON_CPU_QUIET -> T { return result; });                            \
    }
#define CUDA_ON_CPU_ATOMIC(name, result)                                                                               \
    CUDA_ON_CPU_ATOMIC_(name, result)                                                                                  \
    CUDA_ON_CPU_ATOMIC_(name##_block, result)                                                                          \
    CUDA_ON_CPU_ATOMIC_(name##_system, result)
CUDA_ON_CPU_ATOMIC(atomicAdd, old + x)
CUDA_ON_CPU_ATOMIC(atomicSub, old - x)
CUDA_ON_CPU_ATOMIC(atomicExch, ((void)old, x))
CUDA_ON_CPU_ATOMIC(atomicMin, x < old ? x : old)
CUDA_ON_CPU_ATOMIC(atomicMax, old < x ? x : old)
CUDA_ON_CPU_ATOMIC(atomicAnd, old & x)
CUDA_ON_CPU_ATOMIC(atomicOr, old | x)
CUDA_ON_CPU_ATOMIC(atomicXor, old ^ x)
CUDA_ON_CPU_ATOMIC(atomicInc, old >= x ? 0 : old + 1)
CUDA_ON_CPU_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1)
template <class T>
CUDA_ON_CPU_INLINE T atomicCAS(T *p, typename cuda_on_cpu_same<T>::type is, typename cuda_on_cpu_same<T>::type then)
{
    return cuda_on_cpu_atomic(p, [=](T old) CUDA_ON_CPU_QUIET -> T { return old == is ? then : old; });
}

/* ---- the rest of what a kernel may call ---- */
void __trap();
long long clock64();
static inline void __nanosleep(unsigned) {}
static inline void __prof_trigger(int) {}

#include "cuda_api.h"

#endif
