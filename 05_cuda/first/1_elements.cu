/* One thread, one element: y = 2 x.
 *
 * <<<blocks, threads>>> starts the kernel in blocks * threads threads. blockIdx and threadIdx tell a thread which one
 * it is; from them it makes the number of its element. 4 blocks of 32 are 128 threads for 100 elements: the last 28
 * must do nothing.
 *
 * To break: leave out the `if (i < n)`. */
#include <stdio.h>

__global__ void twice(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

int main()
{
    const int n = 100, threads = 32, blocks = (n + threads - 1) / threads;
    float host[n], *x, *y; /* x and y: in the memory of the GPU, which the host can't use by itself */
    for (int i = 0; i < n; i++) host[i] = i;

    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<blocks, threads>>>(n, x, y);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    printf("y[0] = %g, y[1] = %g, y[99] = %g\n", host[0], host[1], host[99]);
    cudaFree(x), cudaFree(y);
}
