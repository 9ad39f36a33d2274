/* A product in tiles: C = A B, all N x N.
 *
 * A block makes one square of 16 x 16 of C, a thread one element of it. The factors come by in squares of 16 x 16,
 * which the block copies to shared memory together: so each number of A and B is fetched from far away N / 16 times
 * and not N times. The first barrier: the squares are there. The second: they have been read, the next may come.
 *
 * To break: leave out the second __syncthreads. And: `make try-5 FILE=... TRAFFIC=1` with b[x][y], b[k][x] exchanged.
 */
#include <stdio.h>

constexpr int N = 64, T = 16;

__global__ void product(const float *A, const float *B, float *C)
{
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * T + x, row = blockIdx.y * T + y;
    float sum = 0;
    for (int k0 = 0; k0 < N; k0 += T) {
        a[y][x] = A[row * N + k0 + x];
        b[y][x] = B[(k0 + y) * N + column];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[row * N + column] = sum;
}

int main()
{
    static float host[N][N];
    float *A, *B, *C;
    for (int i = 0; i < N * N; i++) host[i / N][i % N] = i / N == i % N ? 2 : 1; /* ones, and twos on the diagonal */
    cudaMalloc(&A, sizeof host), cudaMalloc(&B, sizeof host), cudaMalloc(&C, sizeof host);
    cudaMemcpy(A, host, sizeof host, cudaMemcpyHostToDevice), cudaMemcpy(B, A, sizeof host, cudaMemcpyDeviceToDevice);
    product<<<dim3(N / T, N / T), dim3(T, T)>>>(A, B, C);
    cudaMemcpy(host, C, sizeof host, cudaMemcpyDeviceToHost);
    printf("C[0][0] = %g, C[0][1] = %g, C[63][63] = %g\n", host[0][0], host[0][1], host[N - 1][N - 1]);
}
