/* The kernel that does what a random kernel says. */
#include "program.h"

template <class T, int place> __device__ __noinline__ unsigned access(unsigned char *p, int op)
{
    if (op == Load) return *(T *)p;
    *(T *)p = (T)op;
    return 0;
}
__device__ unsigned touch(unsigned char *p, const Step &s)
{
    switch (s.place) {
    case 0: return access<unsigned char, 0>(p, s.op);
    case 1: return access<unsigned char, 1>(p, s.op);
    case 2: return access<unsigned short, 2>(p, s.op);
    case 3: return access<unsigned short, 3>(p, s.op);
    case 4: return access<unsigned, 4>(p, s.op);
    default: return access<unsigned, 5>(p, s.op);
    }
}
__device__ __noinline__ void add_here(unsigned *p) { atomicAdd(p, 1u); }
__device__ __noinline__ void add_there(unsigned *p) { atomicAdd(p, 1u); }

__global__ void interpret(unsigned char *global, unsigned *sums)
{
    __shared__ __align__(8) unsigned char cells[Cells];
    unsigned sum = 0; /* so that no load is idle */
    for (;;) {
        const Step s = next_step(blockIdx.x, threadIdx.x);
        unsigned char *p = (s.shared ? cells : global) + s.offset;
        if (s.op == End) break;
        if (s.op == Load || s.op == Store) sum += touch(p, s);
        if (s.op == Add) (s.place % 2 ? add_here : add_there)((unsigned *)p), has_happened(s.event);
        if (s.op == Fence_block) __threadfence_block();
        if (s.op == Fence) __threadfence();
        if (s.op == Syncwarp) __syncwarp(s.mask);
        if (s.op == Barrier) __syncthreads();
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void run(unsigned blocks, unsigned threads, unsigned char *global)
{
    static unsigned *sums;
    if (!sums) cudaMalloc(&sums, 1024 * sizeof *sums);
    cudaMemset(global, 0, Cells);
    interpret<<<blocks, threads>>>(global, sums);
}
