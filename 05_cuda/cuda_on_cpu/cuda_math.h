/* Arithmetic that CUDA C has and C has not. Where a GPU is less exact (__expf), this is the C library's. Built with
 * -ffp-contract=off, so a product is rounded before it is added unless the source says fma. */
#ifndef CUDA_MATH_H
#define CUDA_MATH_H

#include <algorithm>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

/* min and max of two numbers, of different types, too, as CUDA C has them */
template <class A, class B, class T = typename std::common_type<A, B>::type>
static inline typename std::enable_if<std::is_arithmetic<T>::value, T>::type min(A a, B b)
{
    if constexpr (std::is_floating_point<T>::value) return fmin((T)a, (T)b);
    else return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B, class T = typename std::common_type<A, B>::type>
static inline typename std::enable_if<std::is_arithmetic<T>::value, T>::type max(A a, B b)
{
    if constexpr (std::is_floating_point<T>::value) return fmax((T)a, (T)b);
    else return (T)a < (T)b ? (T)b : (T)a;
}

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
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float fdividef(float a, float b) { return a / b; }
static inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
static inline void sincospif(float x, float *s, float *c) { *s = sinf(x * (float)M_PI), *c = cosf(x * (float)M_PI); }
#define CUDA_ON_CPU_ROUNDED(T, f, d)                                                                                   \
    static inline T __##f##add_rn(T a, T b) { return a + b; }                                                          \
    static inline T __##f##sub_rn(T a, T b) { return a - b; }                                                          \
    static inline T __##f##mul_rn(T a, T b) { return a * b; }                                                          \
    static inline T __##d##div_rn(T a, T b) { return a / b; }                                                          \
    static inline T __##d##rcp_rn(T a) { return 1 / a; }                                                               \
    static inline T __##d##sqrt_rn(T a) { return sqrt(a); }
CUDA_ON_CPU_ROUNDED(float, f, f)
CUDA_ON_CPU_ROUNDED(double, d, d)
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
template <class To, class From> static inline To cuda_on_cpu_bits(From x)
{
    To y;
    memcpy(&y, &x, sizeof y);
    return y;
}
static inline int __float_as_int(float x) { return cuda_on_cpu_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return cuda_on_cpu_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return cuda_on_cpu_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return cuda_on_cpu_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return cuda_on_cpu_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return cuda_on_cpu_bits<double>(x); }
static inline int __float2int_rn(float x) { return (int)lrintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline int __float2int_ru(float x) { return (int)ceilf(x); }
static inline unsigned __float2uint_rn(float x) { return (unsigned)llrintf(x); }
static inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __double2float_rn(double x) { return (float)x; }

/* ---- integers ---- */
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x)
{
    unsigned y = 0;
    for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
    return y;
}
static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline unsigned __sad(int a, int b, unsigned c) { return c + (unsigned)llabs((long long)a - b); }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)((((uint64_t)high << 32 | low) << (by & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned y = 0;
    for (int i = 0; i < 4; i++) y |= (unsigned)(both >> (which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return y;
}
/* sums of four products of bytes */
static inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; i++) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}

/* arithmetic of a 16-bit number H and of two of them, H2; fma: one rounding, as floats hold the product exactly */
#define CUDA_ON_CPU_PAIR(H, H2, name, sign)                                                                            \
    static inline H __h##name(H a, H b) { return H((float)a sign (float)b); }                                          \
    static inline H2 __h##name##2(H2 a, H2 b) { return {__h##name(a.x, b.x), __h##name(a.y, b.y)}; }                   \
    static inline H2 operator sign(H2 a, H2 b) { return __h##name##2(a, b); }                                          \
    static inline H operator sign(H a, H b) { return __h##name(a, b); }                                                \
    static inline H2 &operator sign##=(H2 &a, H2 b) { return a = a sign b; }                                           \
    static inline H &operator sign##=(H &a, H b) { return a = a sign b; }
#define CUDA_ON_CPU_COMPARE(H, name, sign) static inline bool __h##name(H a, H b) { return (float)a sign (float)b; }
#define CUDA_ON_CPU_PAIRS(H, H2)                                                                                       \
    CUDA_ON_CPU_PAIR(H, H2, add, +)                                                                                    \
    CUDA_ON_CPU_PAIR(H, H2, sub, -)                                                                                    \
    CUDA_ON_CPU_PAIR(H, H2, mul, *)                                                                                    \
    CUDA_ON_CPU_PAIR(H, H2, div, /)                                                                                    \
    CUDA_ON_CPU_COMPARE(H, lt, <)                                                                                      \
    CUDA_ON_CPU_COMPARE(H, le, <=)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, gt, >)                                                                                      \
    CUDA_ON_CPU_COMPARE(H, ge, >=)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, eq, ==)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, ne, !=)                                                                                     \
    static inline H __hfma(H a, H b, H c) { return H((float)((double)(float)a * (float)b + (float)c)); }               \
    static inline H2 __hfma2(H2 a, H2 b, H2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }              \
    static inline H __hneg(H a) { return H(-(float)a); }                                                               \
    static inline H __habs(H a) { return H(fabsf(a)); }                                                                \
    static inline H __hmax(H a, H b) { return H(fmaxf(a, b)); }                                                        \
    static inline H __hmin(H a, H b) { return H(fminf(a, b)); }                                                        \
    static inline H2 __hmax2(H2 a, H2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                              \
    static inline bool __hisnan(H a) { return isnan((float)a); }                                                       \
    static inline H hexp(H a) { return H(expf(a)); }                                                                   \
    static inline H hlog(H a) { return H(logf(a)); }                                                                   \
    static inline H hsqrt(H a) { return H(sqrtf(a)); }                                                                 \
    static inline H hrcp(H a) { return H(1 / (float)a); }                                                              \
    static inline float __low2float(H2 a) { return a.x; }                                                              \
    static inline float __high2float(H2 a) { return a.y; }

#endif
