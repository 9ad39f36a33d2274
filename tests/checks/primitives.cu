/* What the kernels of version 5 do not use of the emulation, or use without looking at it: shuffles of all kinds,
 * votes, atomics, threads that leave early, and the error codes of the runtime. On a GPU the same source gives the
 * same.
 *
 *     tests/checks/cuda.sh builds and runs it; exit status 1 and a sentence for the first thing that is wrong. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARP = 32, BLOCKS = 40 };

static void expect(bool right, const char *what)
{
    if (right) return;
    fprintf(stderr, "primitives: %s\n", what);
    exit(1);
}

static __global__ void shuffle(int *out)
{
    const int lane = threadIdx.x;
    out[0 * WARP + lane] = __shfl_sync(~0u, 10 * lane, 3);
    out[1 * WARP + lane] = __shfl_sync(~0u, 10 * lane, lane + 1, 8); /* within groups of eight */
    out[2 * WARP + lane] = __shfl_xor_sync(~0u, 10 * lane, 5);
    out[3 * WARP + lane] = __shfl_down_sync(~0u, 10 * lane, 4);
    out[4 * WARP + lane] = __shfl_up_sync(~0u, 10 * lane, 4, 16);
    out[5 * WARP + lane] = (int)__ballot_sync(~0u, lane % 3 == 0);
    out[6 * WARP + lane] = __any_sync(~0u, lane == 40);
}

/* neighbours swap through shared memory; half a warp is enough for a barrier of its own */
static __global__ void swap(int *out)
{
    extern __shared__ int kept[];
    const int lane = threadIdx.x;
    if (lane >= 16) return;
    kept[lane] = lane;
    __syncwarp(0xffff);
    out[lane] = kept[lane ^ 1];
}

static __global__ void add(int *count, float *sum)
{
    atomicAdd(count, 1);
    atomicAdd(sum, 0.5f);
}

/* the threads of the last warps have nothing to do and leave; the others meet at a barrier */
static __global__ void leave_early(int *out)
{
    __shared__ int kept[64];
    if (threadIdx.x >= 64) return;
    kept[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = kept[63 - threadIdx.x];
}

static void test_shuffles(int *device)
{
    int out[7][WARP];
    shuffle<<<1, WARP>>>(device);
    expect(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the shuffles");
    for (int lane = 0; lane < WARP; lane++) {
        expect(out[0][lane] == 30, "__shfl_sync from lane 3");
        expect(out[1][lane] == 10 * (lane / 8 * 8 + (lane + 1) % 8), "__shfl_sync in groups of eight");
        expect(out[2][lane] == 10 * (lane ^ 5), "__shfl_xor_sync");
        expect(out[3][lane] == 10 * (lane < 28 ? lane + 4 : lane), "__shfl_down_sync");
        expect(out[4][lane] == 10 * (lane % 16 >= 4 ? lane - 4 : lane), "__shfl_up_sync in groups of sixteen");
        expect(out[5][lane] == 0x49249249, "__ballot_sync");
        expect(out[6][lane] == 0, "__any_sync");
    }
}

static void test_the_rest(int *device)
{
    int out[64] = {0}, *host = out;
    swap<<<1, WARP, 16 * sizeof(int)>>>(device);
    expect(cudaMemcpy(host, device, 16 * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the swap");
    for (int lane = 0; lane < 16; lane++) expect(out[lane] == (lane ^ 1), "__syncwarp with half a warp");

    float sum = 0;
    expect(cudaMemcpy(device, &sum, sizeof sum, cudaMemcpyHostToDevice) == cudaSuccess, "a zero");
    expect(cudaMemcpy(device + 1, &sum, sizeof sum, cudaMemcpyHostToDevice) == cudaSuccess, "another");
    add<<<BLOCKS, WARP>>>(device, (float *)(device + 1));
    expect(cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the count");
    expect(cudaMemcpy(&sum, device + 1, sizeof sum, cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the sum");
    expect(out[0] == BLOCKS * WARP && sum == BLOCKS * WARP / 2, "atomicAdd from all blocks");

    leave_early<<<1, 128>>>(device);
    expect(cudaMemcpy(host, device, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the early leavers'");
    for (int t = 0; t < 64; t++) expect(out[t] == 63 - t, "threads that leave before a barrier");
}

static void test_errors(int *device)
{
    int host = 0, *p;
    shuffle<<<1, dim3(33, 32)>>>(device);
    expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "a block of 1056 threads is refused");
    expect(cudaGetLastError() == cudaSuccess, "an error is told once");
    shuffle<<<dim3(1, 65536), WARP>>>(device);
    expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "a grid of 65,536 in y is refused");
    swap<<<1, WARP, 48 * 1024 + 1>>>(device);
    expect(cudaGetLastError() == cudaErrorInvalidValue, "more than 48 KB of shared memory is refused unless asked for");
    expect(cudaFuncSetAttribute(swap, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024) == cudaSuccess, "asked");
    swap<<<1, WARP, 64 * 1024>>>(device);
    expect(cudaGetLastError() == cudaSuccess, "and granted");
    expect(cudaFuncSetAttribute(swap, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) != cudaSuccess, "1 MB");
    expect(cudaMemcpy(&host, &host, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue, "host to host");
    expect(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation, "2^60 bytes");
    cudaGetLastError();
}

int main()
{
    int *device;
    expect(cudaMalloc(&device, 7 * WARP * sizeof *device) == cudaSuccess, "cudaMalloc");
    test_shuffles(device);
    test_the_rest(device);
    test_errors(device);
    expect(cudaFree(device) == cudaSuccess, "cudaFree");
    return 0;
}
