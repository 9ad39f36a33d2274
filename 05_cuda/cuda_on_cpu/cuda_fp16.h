/* float16: 1 sign, 5 exponent and 10 fraction bits. Conversions are bit for bit those of the GPU; sums and products are
 * those of floats, rounded, which is what the GPU's are, too. Here is also all that bfloat16 has in common with it. */
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#include "cuda_runtime.h"

static inline float cuda_on_cpu_half_to_float(uint16_t h)
{
    float f = cuda_on_cpu_bits<float>((uint32_t)(h & 0x7fff) << 13);
    f *= 0x1p112f; /* the exponent counts from 127, not from 15; subnormals come out right, too */
    if ((h & 0x7c00) == 0x7c00) f = cuda_on_cpu_bits<float>((uint32_t)(h & 0x7fff) << 13 | 0x7f800000); /* inf, NaN */
    return h & 0x8000 ? -f : f;
}

/* to nearest, ties to even */
static inline uint16_t cuda_on_cpu_float_to_half(float f)
{
    uint32_t u = cuda_on_cpu_bits<uint32_t>(f);
    const uint16_t sign = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    if (u > 0x7f800000) return 0x7fff;                                   /* NaN */
    if (u >= 0x477ff000) return sign | 0x7c00;                           /* 65520 and more: infinity */
    if (u < 0x38800000) return sign | (uint16_t)lrintf(fabsf(f) * 0x1p24f); /* subnormal: steps of 2^-24 */
    u -= 112u << 23;
    return sign | (uint16_t)((u + 0xfff + (u >> 13 & 1)) >> 13); /* a carry runs into the exponent, as it should */
}
static inline float cuda_on_cpu_odd(double d) /* what is cut off is told by the last bit: rounded again, it is right */
{
    const float f = __double2float_rz(d);
    return f == d ? f : __uint_as_float(__float_as_uint(f) | 1);
}

/* a type H, two of them H2, and the functions that have the number's name in theirs: __float2half and so on */
#define CUDA_ON_CPU_16_BITS(H, name, to_bits, to_float)                                                                \
    struct H {                                                                                                         \
        uint16_t bits;                                                                                                 \
        H() = default;                                                                                                 \
        H(float f) : bits(to_bits(f)) {}                                                                               \
        operator float() const { return to_float(bits); }                                                              \
    };                                                                                                                 \
    struct __align__(4) H##2 {                                                                                         \
        H x, y;                                                                                                        \
        H##2() = default;                                                                                              \
        H##2(H x, H y) : x(x), y(y) {}                                                                                 \
    };                                                                                                                 \
    CUDA_ON_CPU_CONVERTS(H, name, rn, rint, FE_TONEAREST)                                                              \
    CUDA_ON_CPU_BITS(name, H, short, short)                                                                            \
    CUDA_ON_CPU_BITS(name, H, ushort, unsigned short)                                                                  \
    static inline H __float2##name(float f) { return H(f); }                                                           \
    static inline H __float2##name##_rn(float f) { return H(f); }                                                      \
    static inline H __double2##name(double d) { return H(cuda_on_cpu_odd(d)); }                                        \
    static inline float __##name##2float(H h) { return h; }                                                            \
    static inline H##2 __floats2##name##2_rn(float x, float y) { return {H(x), H(y)}; }                                \
    static inline H##2 __float22##name##2_rn(float2 f) { return {H(f.x), H(f.y)}; }                                    \
    static inline H##2 __float2##name##2_rn(float f) { return {H(f), H(f)}; }                                          \
    static inline float2 __##name##22float2(H##2 h) { return {h.x, h.y}; }                                             \
    static inline H##2 __##name##2##name##2(H h) { return {h, h}; }                                                    \
    static inline H##2 __halves2##name##2(H x, H y) { return {x, y}; }                                                 \
    static inline H##2 make_##name##2(H x, H y) { return {x, y}; }                                                     \
    static inline H __low2##name(H##2 h) { return h.x; }                                                               \
    static inline H __high2##name(H##2 h) { return h.y; }                                                              \
    static inline H##2 __low2##name##2(H##2 h) { return {h.x, h.x}; }                                                  \
    static inline H##2 __high2##name##2(H##2 h) { return {h.y, h.y}; }                                                 \
    CUDA_ON_CPU_16_BITS_ARITHMETIC(H)
#define CUDA_ON_CPU_BY_SIGN(H, h2, name, sign)                                                                         \
    static inline H __h##name(H a, H b) { return H((float)a sign (float)b); }                                          \
    static inline H##2 h2(H##2 a, H##2 b) { return {__h##name(a.x, b.x), __h##name(a.y, b.y)}; }                       \
    static inline H operator sign(H a, H b) { return __h##name(a, b); }                                                \
    static inline H##2 operator sign(H##2 a, H##2 b) { return h2(a, b); }                                              \
    static inline H &operator sign##=(H &a, H b) { return a = a sign b; }                                              \
    static inline H##2 &operator sign##=(H##2 &a, H##2 b) { return a = a sign b; }
#define CUDA_ON_CPU_COMPARE(H, name, sign)                                                                             \
    static inline bool __h##name(H a, H b) { return (float)a sign (float)b; }                                          \
    static inline bool __hb##name##2(H##2 a, H##2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }            \
    static inline H##2 __h##name##2(H##2 a, H##2 b) { return {H(__h##name(a.x, b.x)), H(__h##name(a.y, b.y))}; }
#define CUDA_ON_CPU_LARGER(H, name, f)                                                                                 \
    static inline H name(H a, H b) { return H(f(a, b)); }                                                              \
    static inline H##2 name##2(H##2 a, H##2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define CUDA_ON_CPU_OF_ONE(H, h1, h2, result)                                                                          \
    static inline H h1(H a) { const float x = a; return H(result); }                                                   \
    static inline H##2 h2(H##2 a) { return {h1(a.x), h1(a.y)}; }
#define CUDA_ON_CPU_16_BITS_ARITHMETIC(H)                                                                              \
    CUDA_ON_CPU_BY_SIGN(H, __hadd2, add, +)                                                                            \
    CUDA_ON_CPU_BY_SIGN(H, __hsub2, sub, -)                                                                            \
    CUDA_ON_CPU_BY_SIGN(H, __hmul2, mul, *)                                                                            \
    CUDA_ON_CPU_BY_SIGN(H, __h2div, div, /)                                                                            \
    CUDA_ON_CPU_COMPARE(H, lt, <)                                                                                      \
    CUDA_ON_CPU_COMPARE(H, le, <=)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, gt, >)                                                                                      \
    CUDA_ON_CPU_COMPARE(H, ge, >=)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, eq, ==)                                                                                     \
    CUDA_ON_CPU_COMPARE(H, ne, !=)                                                                                     \
    CUDA_ON_CPU_LARGER(H, __hmax, fmaxf)                                                                               \
    CUDA_ON_CPU_LARGER(H, __hmin, fminf)                                                                               \
    CUDA_ON_CPU_OF_ONE(H, __hneg, __hneg2, -x)                                                                         \
    CUDA_ON_CPU_OF_ONE(H, __habs, __habs2, fabsf(x))                                                                   \
    CUDA_ON_CPU_OF_ONE(H, hexp, h2exp, expf(x))                                                                        \
    CUDA_ON_CPU_OF_ONE(H, hlog, h2log, logf(x))                                                                        \
    CUDA_ON_CPU_OF_ONE(H, hsqrt, h2sqrt, sqrtf(x))                                                                     \
    CUDA_ON_CPU_OF_ONE(H, hrsqrt, h2rsqrt, rsqrtf(x))                                                                  \
    CUDA_ON_CPU_OF_ONE(H, hrcp, h2rcp, 1 / x)                                                                          \
    CUDA_ON_CPU_OF_ONE(H, hfloor, h2floor, floorf(x))                                                                  \
    CUDA_ON_CPU_OF_ONE(H, hceil, h2ceil, ceilf(x))                                                                     \
    CUDA_ON_CPU_OF_ONE(H, hrint, h2rint, rintf(x))                                                                     \
    static inline H __hfma(H a, H b, H c) { return H(cuda_on_cpu_odd((double)(float)a * (float)b + (float)c)); }       \
    static inline H##2 __hfma2(H##2 a, H##2 b, H##2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }      \
    static inline bool __hisnan(H a) { return isnan((float)a); }                                                       \
    static inline int __hisinf(H a) { return isinf((float)a) ? a < 0 ? -1 : 1 : 0; }                                   \
    static inline H##2 operator-(H##2 a) { return __hneg2(a); }                                                        \
    static inline float __low2float(H##2 a) { return a.x; }                                                            \
    static inline float __high2float(H##2 a) { return a.y; }

CUDA_ON_CPU_16_BITS(__half, half, cuda_on_cpu_float_to_half, cuda_on_cpu_half_to_float)
typedef __half half;
typedef __half2 half2;
static inline __half2 __lowhigh2highlow(__half2 h) { return {h.y, h.x}; }

#endif
