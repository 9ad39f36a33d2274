/* bfloat16: the upper half of a float. Conversions are bit for bit those of the GPU. */
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "cuda_runtime.h"
#include <string.h>

struct __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float f) /* to nearest, ties to even */
    {
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        bits = isnan(f) ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
    }
    operator float() const
    {
        const uint32_t u = (uint32_t)bits << 16;
        float f;
        memcpy(&f, &u, sizeof f);
        return f;
    }
};
struct __align__(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }

#endif
