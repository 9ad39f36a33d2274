/* Softmax of a row by one warp: version 2's three lines, cut into 32 lanes.
 *
 * Lane l has the numbers l, l + 32, l + 64, ... of the row. Each finds the maximum of its own, five shuffles that of
 * all; each adds up its own weights, five shuffles add up all. Every block is one warp and takes one row.
 *
 * To break: start it with 20 threads in place of 32, and the shuffles ask lanes that do not exist. And let the maximum
 * begin at 0 in place of -INFINITY: nothing is reported, for the order is right, but the sum of row 1 is 0. */
#include <stdio.h>

__global__ void softmax(int m, const float *S, float *P)
{
    const float *s = S + blockIdx.x * m;
    float *p = P + blockIdx.x * m, max = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < m; j += 32) max = fmaxf(max, s[j]);
    for (int bit = 16; bit > 0; bit /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, bit));
    for (int j = threadIdx.x; j < m; j += 32) sum += p[j] = expf(s[j] - max);
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(~0u, sum, bit);
    for (int j = threadIdx.x; j < m; j += 32) p[j] /= sum;
}

int main()
{
    const int n = 2, m = 100;
    float host[n][m], *S, *P;
    for (int i = 0; i < n * m; i++) host[i / m][i % m] = i < m ? 1 : -1000 - i % m; /* all equal; then far below 0 */

    cudaMalloc(&S, sizeof host), cudaMalloc(&P, sizeof host);
    cudaMemcpy(S, host, sizeof host, cudaMemcpyHostToDevice);
    softmax<<<n, 32>>>(m, S, P);
    cudaMemcpy(host, P, sizeof host, cudaMemcpyDeviceToHost);
    printf("row 0: %.4f %.4f ...   row 1: %.4f %.4f ...\n", host[0][0], host[0][1], host[1][0], host[1][1]);
}
