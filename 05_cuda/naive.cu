/* Version 5's measuring stick: attention in three kernels, as version 1 does it in three calls.
 *
 *     S = Q K^T scale,   P = softmax of every row of S,   O = P V
 *
 * S and P lie in global memory, P in S's place. The two products go in squares of 16 x 16, each made by one block,
 * which brings what it needs to shared memory 16 columns at a time: the textbook's way.
 *
 * Cost: n m elements of storage for each head, written twice and read three times and more; at n = m = 16,384 that is
 * 1 GiB a head in float32. Larger squares would read Q, K, V and P less often, but S and P not at all. */
#include "kernels.h"

constexpr int Tile = 16;

/* Which head, and which square of its matrix of so many columns of squares, this block makes. All of it is in
 * blockIdx.x: y and z end at 65,535, and batch * heads may be more. */
struct square {
    size_t head, row, column; /* of the square's first element */
};
static __device__ square this_square(size_t rows, size_t columns)
{
    return {blockIdx.x / (rows * columns), blockIdx.x / columns % rows * Tile, blockIdx.x % columns * Tile};
}

/* S[i][j] = Q[i] . K[j] scale; in T, so it is rounded once and softmax and maximum see the same number */
template <class T> static __global__ void scores(const cuda_problem a, const T *Q, const T *K, T *S)
{
    __shared__ float q[Tile][Tile], k[Tile][Tile + 1]; /* + 1: k is read by columns, one bank each */
    const square at = this_square(tiles(a.n, Tile), tiles(a.m, Tile));
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t i = at.row + y, j = at.column + x;
    Q += at.head * a.n * a.d, K += kv_head(a, at.head) * a.m * a.d, S += at.head * a.n * a.m;

    float s = 0;
    for (size_t c = 0; c < a.d; c += Tile) {
        q[y][x] = i < a.n && c + x < a.d ? (float)Q[i * a.d + c + x] : 0;
        k[y][x] = at.column + y < a.m && c + x < a.d ? (float)K[(at.column + y) * a.d + c + x] : 0;
        __syncthreads();
        for (int e = 0; e < Tile; e++) s += q[y][e] * k[x][e];
        __syncthreads();
    }
    if (i < a.n && j < a.m) S[i * a.m + j] = (T)__fmul_rn(s, a.scale);
}

/* every row of S, as far as its query may see, becomes its softmax: a warp a row, four warps a block */
template <class T> static __global__ void softmax_rows(const cuda_problem a, T *S)
{
    const size_t row = blockIdx.x * (size_t)blockDim.y + threadIdx.y; /* of all heads' rows */
    if (row >= a.batch * a.heads * a.n) return;                       /* the whole warp at once */
    const size_t keys = visible(a, row % a.n);
    S += row * a.m;

    float max = -INFINITY, sum = 0;
    for (size_t j = threadIdx.x; j < keys; j += warpSize) max = fmaxf(max, (float)S[j]);
    for (int step = 16; step; step /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, step));
    const float base = max == -INFINITY ? 0 : max; /* never -inf minus -inf */

    for (size_t j = threadIdx.x; j < keys; j += warpSize) sum += expf((float)S[j] - base);
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    for (size_t j = threadIdx.x; j < keys; j += warpSize) S[j] = (T)(expf((float)S[j] - base) / sum);
}

/* O[i] = sum of P[i][j] V[j] over the keys that query i may see */
template <class T> static __global__ void weighted_sum(const cuda_problem a, const T *P, const T *V, T *O)
{
    __shared__ float p[Tile][Tile], v[Tile][Tile];
    const square at = this_square(tiles(a.n, Tile), tiles(a.dv, Tile));
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t i = at.row + y, c = at.column + x;
    const size_t keys = i < a.n ? visible(a, i) : 0;
    const size_t most = visible(a, min(at.row + Tile, a.n) - 1); /* what the last of these queries sees */
    P += at.head * a.n * a.m, V += kv_head(a, at.head) * a.m * a.dv, O += at.head * a.n * a.dv;

    float o = 0;
    for (size_t j = 0; j < most; j += Tile) {
        p[y][x] = j + x < keys ? (float)P[i * a.m + j + x] : 0;
        v[y][x] = j + y < a.m && c < a.dv ? (float)V[(j + y) * a.dv + c] : 0;
        __syncthreads();
        for (int e = 0; e < Tile; e++)
            if (j + e < keys) o += p[y][e] * v[e][x]; /* what is masked is left out: 0 times NaN would be NaN */
        __syncthreads();
    }
    if (i < a.n && c < a.dv) O[i * a.dv + c] = (T)o;
}

template <class T> int naive(const cuda_problem &a, const T *Q, const T *K, const T *V, T *S, T *O)
{
    const size_t heads = a.batch * a.heads, rows = heads * a.n, warps = 4;
    const size_t squares_S = heads * tiles(a.n, Tile) * tiles(a.m, Tile);
    const size_t squares_O = heads * tiles(a.n, Tile) * tiles(a.dv, Tile);
    int error = check_blocks(squares_S, "naive");
    if (!error) error = check_blocks(squares_O, "naive");
    if (!error) error = check_blocks((rows + warps - 1) / warps, "naive");
    if (error) return error;

    scores<T><<<squares_S, dim3(Tile, Tile)>>>(a, Q, K, S);
    if ((error = check(cudaGetLastError(), "naive: S = Q K^T"))) return error;
    softmax_rows<T><<<(rows + warps - 1) / warps, dim3(32, warps)>>>(a, S);
    if ((error = check(cudaGetLastError(), "naive: softmax"))) return error;
    weighted_sum<T><<<squares_O, dim3(Tile, Tile)>>>(a, S, V, O);
    return check(cudaGetLastError(), "naive: O = P V");
}

/* Each row of a factor is read once for every square it helps to make; softmax reads S three times. */
cuda_moves naive_moves(const cuda_problem &a)
{
    size_t seen = 0, rows_V = 0; /* elements of S that some query sees; rows of V that the squares of O bring in */
    for (size_t i = 0; i < a.n; i++) seen += visible(a, i);
    for (size_t i = 0; i < a.n; i += Tile) rows_V += rows_read(visible(a, min(i + Tile, a.n) - 1), Tile, a.m);
    const cuda_moves scores = {a.n * a.d * tiles(a.m, Tile) + a.m * a.d * tiles(a.n, Tile), a.n * a.m};
    const cuda_moves softmax = {3 * seen, seen};
    const cuda_moves sum = {seen * tiles(a.dv, Tile) + rows_V * a.dv, a.n * a.dv};
    return {a.batch * a.heads * (scores.read + softmax.read + sum.read),
            a.batch * a.heads * (scores.written + softmax.written + sum.written)};
}

template int naive(const cuda_problem &, const float *, const float *, const float *, float *, float *);
template int naive(const cuda_problem &, const __half *, const __half *, const __half *, __half *, __half *);
template int naive(const cuda_problem &, const __nv_bfloat16 *, const __nv_bfloat16 *, const __nv_bfloat16 *,
                   __nv_bfloat16 *, __nv_bfloat16 *);
