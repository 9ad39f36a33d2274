/* bfloat16: the upper half of a float. Conversions are bit for bit those of the GPU. */
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "cuda_runtime.h"

struct __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float f) /* to nearest, ties to even */
    {
        const uint32_t u = cuda_on_cpu_bits<uint32_t>(f);
        bits = isnan(f) ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
    }
    operator float() const { return cuda_on_cpu_bits<float>((uint32_t)bits << 16); }
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
static inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
static inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
static inline float __bfloat162float(__nv_bfloat16 h) { return h; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
static inline __nv_bfloat162 __float2bfloat162_rn(float f) { return __floats2bfloat162_rn(f, f); }
static inline float2 __bfloat1622float2(__nv_bfloat162 h) { return {h.x, h.y}; }
CUDA_ON_CPU_PAIRS(__nv_bfloat16, __nv_bfloat162)

#endif
