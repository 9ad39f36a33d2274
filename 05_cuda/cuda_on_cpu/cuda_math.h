/* Arithmetic that CUDA C has and C has not. Where a GPU is less exact (__expf), this is the C library's. Built with
 * -ffp-contract=off, so a product is rounded before it is added unless the source says fma. */
#ifndef CUDA_MATH_H
#define CUDA_MATH_H

#include <algorithm>
#include <fenv.h>
#include <limits>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#define CUDA_ON_CPU_QUIET __attribute__((no_sanitize("thread"))) /* what is done here is free of charge */

/* min and max of two numbers, of different types, too, as CUDA C has them */
#define CUDA_ON_CPU_OF_TWO(name, less)                                                                                 \
    template <class A, class B, class T = typename std::common_type<A, B>::type>                                       \
    static inline typename std::enable_if<std::is_arithmetic<T>::value, T>::type name(A a, B b)                        \
    {                                                                                                                  \
        if constexpr (std::is_floating_point<T>::value) return f##name((T)a, (T)b);                                    \
        else return (T)a less (T)b ? (T)a : (T)b;                                                                      \
    }
CUDA_ON_CPU_OF_TWO(min, <)
CUDA_ON_CPU_OF_TWO(max, >)

/* ---- floats ---- */
#define __expf expf /* the C library has taken these names */
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __sincosf sincosf
#define __exp10f(x) exp10f(x)
/* templates: newer C libraries have some of these, and theirs come first */
#define CUDA_ON_CPU_MATH(name, result)                                                                                 \
    template <class A> static inline float name##f(A a) { const float x = a; return (float)(result); }                 \
    template <class A> static inline double name(A a) { const double x = a; return result; }
CUDA_ON_CPU_MATH(rsqrt, 1 / sqrt(x))
CUDA_ON_CPU_MATH(rcbrt, 1 / cbrt(x))
CUDA_ON_CPU_MATH(sinpi, sin(remainder(x, 2) * M_PI))
CUDA_ON_CPU_MATH(cospi, cos(remainder(x, 2) * M_PI))
CUDA_ON_CPU_MATH(normcdf, erfc(x * -M_SQRT1_2) / 2)
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
static inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }

/* with the bits as they are */
template <class To, class From> static inline To cuda_on_cpu_bits(From x)
{
    To y;
    static_assert(sizeof y == sizeof x, "as many bits");
    memcpy(&y, &x, sizeof y);
    return y;
}
#define CUDA_ON_CPU_BITS(from, From, to, To)                                                                           \
    static inline To __##from##_as_##to(From x) { return cuda_on_cpu_bits<To>(x); }                                    \
    static inline From __##to##_as_##from(To x) { return cuda_on_cpu_bits<From>(x); }
CUDA_ON_CPU_BITS(float, float, int, int)
CUDA_ON_CPU_BITS(float, float, uint, unsigned)
CUDA_ON_CPU_BITS(double, double, longlong, long long)
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline uint64_t cuda_on_cpu_both(unsigned high, unsigned low) { return (uint64_t)high << 32 | low; }
static inline double __hiloint2double(int h, int l) { return cuda_on_cpu_bits<double>(cuda_on_cpu_both(h, l)); }

/* rounded to nearest (rn), towards zero (rz), up (ru) or down (rd). Volatile: it shall be computed between the calls */
template <int mode, class A, class F> CUDA_ON_CPU_QUIET static inline auto cuda_on_cpu_round(A a, A b, F f)
{
    if constexpr (mode == FE_TONEAREST) return f(a, b);
    else {
        const int before = fegetround();
        fesetround(mode);
        const volatile A x = a, y = b;
        const volatile auto result = f(x, y);
        return fesetround(before), result;
    }
}
template <class T> static inline T cuda_on_cpu_whole(double x) /* the nearest that there is, as the GPU has it */
{
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return isnan(x) ? 0 : x >= (double)most ? most : x <= (double)least ? least : (T)x;
}
#define CUDA_ON_CPU_ROUNDED(T, name, mode, fe, result)                                                                 \
    static inline T __##name##_##mode(T a, T b) { return cuda_on_cpu_round<fe>(a, b, [](T a, T b) { return result; }); }
#define CUDA_ON_CPU_CONVERT(F, f, I, i, mode, round, fe)                                                               \
    static inline I __##f##2##i##_##mode(F x) { return cuda_on_cpu_whole<I>(round((double)x)); }                       \
    static inline F __##i##2##f##_##mode(I n) { return cuda_on_cpu_round<fe>(n, n, [](I n, I) { return (F)n; }); }
#define CUDA_ON_CPU_CONVERTS(F, f, mode, round, fe)                                                                    \
    CUDA_ON_CPU_CONVERT(F, f, int, int, mode, round, fe)                                                               \
    CUDA_ON_CPU_CONVERT(F, f, unsigned, uint, mode, round, fe)                                                         \
    CUDA_ON_CPU_CONVERT(F, f, long long, ll, mode, round, fe)                                                          \
    CUDA_ON_CPU_CONVERT(F, f, unsigned long long, ull, mode, round, fe)
#define CUDA_ON_CPU_ARITHMETIC(T, f, t, fma, mode, round, fe)                                                          \
    CUDA_ON_CPU_CONVERTS(T, t, mode, round, fe)                                                                        \
    CUDA_ON_CPU_ROUNDED(T, f##add, mode, fe, a + b)                                                                    \
    CUDA_ON_CPU_ROUNDED(T, f##sub, mode, fe, a - b)                                                                    \
    CUDA_ON_CPU_ROUNDED(T, f##mul, mode, fe, a * b)                                                                    \
    CUDA_ON_CPU_ROUNDED(T, f##div, mode, fe, a / b)                                                                    \
    static inline T __##f##rcp_##mode(T a) { return __##f##div_##mode(1, a); }                                         \
    static inline T __##f##sqrt_##mode(T a) { return cuda_on_cpu_round<fe>(a, a, [](T a, T) { return sqrt(a); }); }    \
    static inline T __##fma##_##mode(T a, T b, T c)                                                                    \
    {                                                                                                                  \
        return cuda_on_cpu_round<fe>(a, b, [c](T a, T b) { return fma(a, b, c); });                                    \
    }
#define CUDA_ON_CPU_MODE(mode, round, fe)                                                                              \
    CUDA_ON_CPU_ARITHMETIC(float, f, float, fmaf, mode, round, fe)                                                     \
    CUDA_ON_CPU_ARITHMETIC(double, d, double, fma, mode, round, fe)                                                    \
    static inline float __double2float_##mode(double x)                                                                \
    {                                                                                                                  \
        return cuda_on_cpu_round<fe>(x, x, [](double x, double) { return (float)x; });                                 \
    }
CUDA_ON_CPU_MODE(rn, rint, FE_TONEAREST)
CUDA_ON_CPU_MODE(rz, trunc, FE_TOWARDZERO)
CUDA_ON_CPU_MODE(ru, ceil, FE_UPWARD)
CUDA_ON_CPU_MODE(rd, floor, FE_DOWNWARD)

/* ---- integers ---- */
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long y = 0;
    for (int i = 0; i < 64; i++) y |= (x >> i & 1) << (63 - i);
    return y;
}
static inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a + b + 1) >> 1); }
static inline unsigned __sad(int a, int b, unsigned c) { return c + (unsigned)llabs((long long)a - b); }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
/* shifts of two words, by n & 31 or (clamped) by at most 32 */
#define CUDA_ON_CPU_SHIFT(name, shift)                                                                                 \
    static inline unsigned __funnelshift_##name(unsigned low, unsigned high, unsigned n)                               \
    {                                                                                                                  \
        return (unsigned)(cuda_on_cpu_both(high, low) >> (shift));                                                     \
    }
CUDA_ON_CPU_SHIFT(l, 32 - (n & 31))
CUDA_ON_CPU_SHIFT(r, n & 31)
CUDA_ON_CPU_SHIFT(lc, n < 32 ? 32 - n : 0)
CUDA_ON_CPU_SHIFT(rc, n < 32 ? n : 32)
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which)
{
    unsigned y = 0;
    for (int i = 0; i < 4; i++) y |= (unsigned)(cuda_on_cpu_both(b, a) >> (which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return y;
}
/* sums of four products of bytes */
#define CUDA_ON_CPU_DP4A(T, Byte)                                                                                      \
    static inline T __dp4a(T a, T b, T c)                                                                              \
    {                                                                                                                  \
        for (int i = 0; i < 4; i++) c += (Byte)(a >> 8 * i) * (Byte)(b >> 8 * i);                                      \
        return c;                                                                                                      \
    }
CUDA_ON_CPU_DP4A(int, signed char)
CUDA_ON_CPU_DP4A(unsigned, unsigned char)

#endif
