/* bfloat16: the upper half of a float. Conversions are bit for bit those of the GPU. */
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "cuda_fp16.h"

static inline uint16_t cuda_on_cpu_float_to_bfloat16(float f) /* to nearest, ties to even */
{
    const uint32_t u = cuda_on_cpu_bits<uint32_t>(f);
    return isnan(f) ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}
static inline float cuda_on_cpu_bfloat16_to_float(uint16_t h) { return cuda_on_cpu_bits<float>((uint32_t)h << 16); }
CUDA_ON_CPU_16_BITS(__nv_bfloat16, bfloat16, cuda_on_cpu_float_to_bfloat16, cuda_on_cpu_bfloat16_to_float)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
