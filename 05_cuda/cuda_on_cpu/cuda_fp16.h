/* float16: 1 sign, 5 exponent and 10 fraction bits. Conversions are bit for bit those of the GPU; sums and products are
 * those of floats, rounded, which is what half's own are, too. */
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

struct __half {
    uint16_t bits;
    __half() = default;
    __half(float f) : bits(cuda_on_cpu_float_to_half(f)) {}
    operator float() const { return cuda_on_cpu_half_to_float(bits); }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half half;
typedef __half2 half2;
static inline __half __float2half(float f) { return __half(f); }
static inline __half __float2half_rn(float f) { return __half(f); }
static inline float __half2float(__half h) { return h; }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
static inline __half2 __float2half2_rn(float f) { return __floats2half2_rn(f, f); }
static inline float2 __half22float2(__half2 h) { return {h.x, h.y}; }
static inline __half2 __half2half2(__half h) { return {h, h}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
CUDA_ON_CPU_PAIRS(__half, __half2)

#endif
