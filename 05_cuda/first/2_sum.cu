/* A block adds up 256 numbers in shared memory.
 *
 * Each thread puts its number into `part`, which the whole block sees. Then half of the threads add the number of
 * a thread of the other half, then a quarter, and so on: 8 steps in place of 255. __syncthreads makes every thread
 * wait for all others: once until all numbers are there, and once after every step.
 *
 * To break: leave out either __syncthreads. */
#include <stdio.h>

constexpr int Threads = 256;

__global__ void sum(const float *x, float *total)
{
    __shared__ float part[Threads];
    const int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads(); /* all numbers are there */
    for (int half = Threads / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads(); /* this step is done everywhere */
    }
    if (t == 0) *total = part[0];
}

int main()
{
    float host[Threads], *x, *total, result;
    for (int i = 0; i < Threads; i++) host[i] = i;

    cudaMalloc(&x, sizeof host);
    cudaMalloc(&total, sizeof result);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, Threads>>>(x, total);
    cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
    printf("0 + 1 + ... + 255 = %g\n", result);
}
