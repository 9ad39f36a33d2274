/* The rules of order, masks, copies and memory, a kernel each: what the emulation must report, and what it must not.
 *
 *     program NAME        launches one; tests/checks/rules.sh builds this file by make try-5, and asks all
 *
 * The line before each kernel: its name, and the report that is right, or "right" where there must be none. */
#include <cuda_pipeline.h>
#include <stdio.h>
#include <string.h>

#define X in[threadIdx.x]
typedef const float *input;

// shuffle_orders_nothing: race in shared memory
__global__ void shuffle_orders_nothing(input in, float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = X;
    const float v = __shfl_xor_sync(~0u, X, 1);
    out[threadIdx.x] = s[threadIdx.x ^ 2] + v;
}
// vote_orders_nothing: race in shared memory
__global__ void vote_orders_nothing(input in, float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = X;
    const int any = __any_sync(~0u, 1);
    out[threadIdx.x] = s[threadIdx.x ^ 2] + any;
}
// syncwarp_orders_its_mask_only: race in shared memory
__global__ void syncwarp_orders_its_mask_only(input in, float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = X;
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = s[threadIdx.x ^ 16];
}
// syncwarp_orders_its_mask: right
__global__ void syncwarp_orders_its_mask(input in, float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = X;
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = s[threadIdx.x ^ 8];
}
// half_warps_count_for_themselves: right
__global__ void half_warps_count_for_themselves(input in, float *out)
{
    __shared__ float s[32];
    if (threadIdx.x < 16)
        for (int i = 0; i < 3; i++) __syncwarp(0xffff);
    s[threadIdx.x] = X;
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
// other_warp: race in shared memory
__global__ void other_warp(input in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = X;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
// third_reader: race in global memory
__global__ void third_reader(float *in, float *out)
{
    const float v = in[0];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) in[0] = 1;
}
// bytes_are_neighbours: right
__global__ void bytes_are_neighbours(input in, float *out)
{
    __shared__ unsigned char s[64];
    s[threadIdx.x] = (unsigned char)X;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
// atomics_do_not_race: right
__global__ void atomics_do_not_race(input in, float *out) { atomicAdd(out, X); }
// plain_beside_atomic: race in global memory
__global__ void plain_beside_atomic(input in, float *out)
{
    if (threadIdx.x) atomicAdd(out, X);
    else out[0] = 1;
}
// last_block_adds_up: right
__device__ unsigned arrived;
__global__ void last_block_adds_up(input in, float *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        out[1 + blockIdx.x] = X;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned b = 0; b < gridDim.x; b++) out[0] += ((volatile float *)out)[1 + b];
}
// quads_then_the_warp: right
__global__ void quads_then_the_warp(input in, float *out)
{
    const int lane = threadIdx.x, quad = lane / 4;
    float sum = 0;
    for (int j = lane % 4; j < 4 * (quad + 1); j += 4) sum += __shfl_xor_sync(0xfu << 4 * quad, in[j], 1);
    out[lane] = __shfl_sync(~0u, sum, 31);
}
// ended_lanes_are_not_waited_for: right
__global__ void ended_lanes_are_not_waited_for(input in, float *out)
{
    if (threadIdx.x >= 20) return;
    __syncwarp();
    out[threadIdx.x] = (float)__any_sync(~0u, X == 0);
}
// value_of_nobody: undefined warp operation
__global__ void value_of_nobody(input in, float *out)
{
    if (threadIdx.x >= 20) return;
    out[threadIdx.x] = __shfl_xor_sync(~0u, X, 16);
}
// divergent_shuffle: divergent warp operation
__global__ void divergent_shuffle(input in, float *out)
{
    out[threadIdx.x] = 0;
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(~0u, X, 0);
    __syncthreads();
}
// barrier_for_some: missing barrier
__global__ void barrier_for_some(input in, float *out)
{
    for (unsigned i = 0; i <= threadIdx.x / 32; i++) __syncthreads();
    out[threadIdx.x] = X;
}
// never_written: uninitialised read
__global__ void never_written(input, float *out)
{
    __shared__ float s[32];
    out[threadIdx.x] = s[threadIdx.x];
}
// copy_not_waited_for: cp.async not waited for
__global__ void copy_not_waited_for(input in, float *out)
{
    __shared__ __align__(16) float s[128];
    __pipeline_memcpy_async(s + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    out[threadIdx.x] = s[4 * threadIdx.x];
    __pipeline_wait_prior(0);
}
// copy_onto_a_copy: cp.async under way
__global__ void copy_onto_a_copy(input in, float *out)
{
    __shared__ __align__(16) float s[128];
    for (int i = 0; i < 2; i++) __pipeline_memcpy_async(s + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[4 * threadIdx.x];
}
// source_of_a_copy: cp.async under way
__global__ void source_of_a_copy(float *in, float *out)
{
    __shared__ __align__(16) float s[128];
    __pipeline_memcpy_async(s + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    in[4 * threadIdx.x] = 1;
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[4 * threadIdx.x];
}
// copy_of_zeros_misaligned: misaligned address
__global__ void copy_of_zeros_misaligned(input in, float *out)
{
    __shared__ __align__(16) float s[128];
    __pipeline_memcpy_async(s + 4 * threadIdx.x, in + 4 * threadIdx.x + 1, 16, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[4 * threadIdx.x];
}
// static_beyond_the_limit: too much shared memory
__global__ void static_beyond_the_limit(input in, float *out)
{
    __shared__ float s[64 * 256];
    for (unsigned i = threadIdx.x; i < 64 * 256; i += blockDim.x) s[i] = X;
    out[threadIdx.x] = s[threadIdx.x];
}
// waits_for_a_flag: right
__global__ void waits_for_a_flag(input in, float *out)
{
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) atomicAdd(&flag, 1);
    else if (threadIdx.x == 0)
        while (atomicAdd(&flag, 0) == 0) {}
    out[threadIdx.x] = X;
}
// waits_for_ever: endless wait
__global__ void waits_for_ever(input, float *out)
{
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    while (atomicAdd(&flag, 0) == 0) {}
    out[threadIdx.x] = 1;
}

#define TRY(kernel, blocks, threads) if (!strcmp(name, #kernel)) kernel<<<blocks, threads>>>(in, out)

int main(int, char **argv)
{
    const char *name = argv[1];
    static const float zeros[4096] = {};
    float *in, *out;
    cudaMalloc(&in, sizeof zeros), cudaMalloc(&out, sizeof zeros);
    cudaMemcpy(in, zeros, sizeof zeros, cudaMemcpyHostToDevice);
    cudaMemcpy(out, zeros, sizeof zeros, cudaMemcpyHostToDevice);
    TRY(shuffle_orders_nothing, 1, 32);
    TRY(vote_orders_nothing, 1, 32);
    TRY(syncwarp_orders_its_mask_only, 1, 32);
    TRY(syncwarp_orders_its_mask, 1, 32);
    TRY(half_warps_count_for_themselves, 1, 32);
    TRY(other_warp, 1, 64);
    TRY(third_reader, 4, 64);
    TRY(bytes_are_neighbours, 1, 64);
    TRY(atomics_do_not_race, 4, 64);
    TRY(plain_beside_atomic, 1, 64);
    TRY(last_block_adds_up, 4, 64);
    TRY(quads_then_the_warp, 1, 32);
    TRY(ended_lanes_are_not_waited_for, 1, 32);
    TRY(value_of_nobody, 1, 32);
    TRY(divergent_shuffle, 1, 32);
    TRY(barrier_for_some, 1, 64);
    TRY(never_written, 1, 32);
    TRY(copy_not_waited_for, 1, 32);
    TRY(copy_onto_a_copy, 1, 32);
    TRY(source_of_a_copy, 1, 32);
    TRY(copy_of_zeros_misaligned, 1, 32);
    TRY(static_beyond_the_limit, 1, 64);
    TRY(waits_for_a_flag, 1, 64);
    TRY(waits_for_ever, 1, 32);
    cudaDeviceSynchronize();
    cudaFree(in), cudaFree(out);
    return 0;
}
