/* float16: 1 sign, 5 exponent and 10 fraction bits. Conversions are bit for bit those of the GPU. */
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#include "cuda_runtime.h"
#include <string.h>

static inline float cuda_on_cpu_half_to_float(uint16_t h)
{
    uint32_t u = (uint32_t)(h & 0x7fff) << 13;
    float f;
    memcpy(&f, &u, sizeof f);
    f *= 0x1p112f; /* the exponent counts from 127, not from 15; subnormals come out right, too */
    if ((h & 0x7c00) == 0x7c00) {
        u |= 0x7f800000; /* infinity or NaN */
        memcpy(&f, &u, sizeof f);
    }
    return h & 0x8000 ? -f : f;
}

/* to nearest, ties to even */
static inline uint16_t cuda_on_cpu_float_to_half(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
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
struct __align__(4) __half2 { __half x, y; };
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }

#endif
