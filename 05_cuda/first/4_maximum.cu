/* The largest of 32 numbers, by one warp, without shared memory.
 *
 * 32 threads that stand side by side are a warp, and can look into each other's registers: __shfl_xor_sync(mask, x, 16)
 * gives each lane the x of the lane whose number differs in the bit of 16. After the bits 16, 8, 4, 2 and 1 every lane
 * has the maximum of all. The mask names the lanes that take part: all 32.
 *
 * To break: put the shuffle into `if (threadIdx.x < 16)`, and the mask still names all. */
#include <stdio.h>

__global__ void maximum(const float *x, float *largest)
{
    float m = x[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, bit));
    largest[threadIdx.x] = m; /* the same in all lanes */
}

int main()
{
    float host[32], *x, *largest;
    for (int i = 0; i < 32; i++) host[i] = i * 7 % 32; /* 0 7 14 21 28 3 ... */

    cudaMalloc(&x, sizeof host), cudaMalloc(&largest, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    maximum<<<1, 32>>>(x, largest);
    cudaMemcpy(host, largest, sizeof host, cudaMemcpyDeviceToHost);
    printf("the largest, as lane 0 and lane 31 have it: %g %g\n", host[0], host[31]);
}
