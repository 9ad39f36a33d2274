/* Version 5 on tensor cores: flash.cu's loop with both products done by mma.sync.
 *
 * T is __half or __nv_bfloat16 in global and shared memory and in the products' factors; all sums are float32.
 * A block of four warps owns Br = 64 queries, sixteen a warp. What is new against flash.cu:
 *
 *     mma         a warp multiplies 16 x 16 by 16 x 8 in one instruction; its operands lie spread over the lanes
 *     ldmatrix    brings K and V from shared memory into just that spread, V transposed on the way
 *     cp.async    the next tiles travel to shared memory while this one is worked on; so there are two of each
 *
 * The result of S = Q K^T has the spread that the left factor of P V must have: P never leaves the registers.
 *
 * Cost: d and dv are padded to one of seven widths. Needs a GPU of compute capability 8.0 or later: before that there
 * is no cp.async and no mma of this size, so a T4 (7.5) runs naive and flash only. The production kernels go further:
 * warps that only load, products that overlap the softmax, and on Hopper wgmma and TMA. */
#include "kernels.h"
#include "tensor_cores.h"
#include <cuda_pipeline.h>

constexpr int Br = 64, Warp = 32, Threads = Br / 16 * Warp;

/* keys a tile; and elements from one row of it to the next: 8 more, so that eight rows fall into different banks */
static __host__ __device__ constexpr int keys_a_tile(size_t width) { return width <= 128 ? 64 : 32; }
static __host__ __device__ constexpr int pitch(size_t width) { return width + 8; }

/* rows j0 .. j0 + Bc - 1 of X[m][D] set out for a tile, 16 bytes a copy; zeros where X ends */
template <class T, int D> static __device__ void load_tile(T *tile, const T *X, size_t j0, size_t m)
{
    for (int t = threadIdx.x; t < keys_a_tile(D) * D / 8; t += Threads) {
        const int j = t / (D / 8), c = t % (D / 8) * 8;
        const bool inside = j0 + j < m;
        __pipeline_memcpy_async(tile + j * pitch(D) + c, X + (inside ? j0 + j : 0) * D + c, 16, inside ? 0 : 16);
    }
}
/* of K, and behind it of V */
template <class T, int D>
static __device__ void load_pair(T *pair, const T *K, const T *V, size_t j0, size_t m)
{
    load_tile<T, D>(pair, K, j0, m);
    load_tile<T, D>(pair + keys_a_tile(D) * pitch(D), V, j0, m);
}

/* A row of S and of O is spread over four neighbouring lanes, a quad. */
static __device__ float quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
static __device__ float quad_sum(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

/* A thread's part of a fragment: rows i and i + 8 of the warp's sixteen, columns two and two + 1 of every eight. Four
 * numbers, [2 h] and [2 h + 1] in row i + 8 h. Registers have no index: a loop over h must be unrolled. */
static __device__ int lane() { return threadIdx.x % Warp; }
static __device__ int two() { return lane() % 4 * 2; }

/* q = rows i and i + 8 of Q[n][D]; zeros where Q ends */
template <class T, int D> static __device__ void load_queries(unsigned (*q)[4], const T *Q, size_t i, size_t n)
{
    for (int c = 0; c < D / 16; c++)
        for (int r = 0; r < 4; r++) {
            const size_t row = i + r % 2 * 8;
            q[c][r] = row < n ? *(const unsigned *)&Q[row * D + 16 * c + r / 2 * 8 + two()] : 0;
        }
}

/* s = Q K^T; s comes as zeros */
template <class T, int D> static __device__ void scores(float (*s)[4], const unsigned (*q)[4], const T *k)
{
    for (int c = 0; c < D / 16; c++)
        for (int j = 0; j < keys_a_tile(D) / 16; j++) {
            unsigned b[4];
            ldmatrix(b, k + (16 * j + lane() / 16 * 8 + lane() % 8) * pitch(D) + 16 * c + lane() / 8 % 2 * 8);
            mma<T>(s[2 * j], q[c], b);
            mma<T>(s[2 * j + 1], q[c], b + 2);
        }
}

/* Row h enters the tile's first seen keys into its account: its s becomes weights. sum is of this thread's columns;
 * the quad's sums meet at the end. */
template <int D>
static __device__ void enter(int h, int seen, float scale, float (*s)[4], float (*acc)[4], float &max, float &sum)
{
    constexpr int Bc = keys_a_tile(D);
    float new_max = max, part = 0;
    for (int j = 0; j < Bc / 8; j++)
        for (int e = 2 * h; e < 2 * h + 2; e++) {
            s[j][e] = 8 * j + two() + e % 2 < seen ? __fmul_rn(s[j][e], scale) : -INFINITY; /* not fused */
            new_max = fmaxf(new_max, s[j][e]);
        }
    new_max = quad_max(new_max);
    const float base = new_max == -INFINITY ? 0 : new_max; /* never -inf minus -inf */
    const float rescale = __expf(max - base);              /* moves the account to the new maximum */
    for (int j = 0; j < Bc / 8; j++)
        for (int e = 2 * h; e < 2 * h + 2; e++) part += s[j][e] = __expf(s[j][e] - base);
    sum = sum * rescale + part;
    for (int c = 0; c < D / 8; c++) acc[c][2 * h] *= rescale, acc[c][2 * h + 1] *= rescale;
    max = new_max;
}

/* acc += P V, P = s; what is masked is 0 times V, and NaN if V is */
template <class T, int D> static __device__ void add_values(float (*acc)[4], const float (*s)[4], const T *v)
{
    for (int j = 0; j < keys_a_tile(D) / 16; j++) {
        const float *left = s[2 * j], *right = s[2 * j + 1];
        const unsigned p[4] = {pack<T>(left[0], left[1]), pack<T>(left[2], left[3]),
                               pack<T>(right[0], right[1]), pack<T>(right[2], right[3])};
        for (int c = 0; c < D / 16; c++) {
            unsigned b[4];
            ldmatrix_trans(b, v + (16 * j + lane() % 16) * pitch(D) + 16 * c + lane() / 16 * 8);
            mma<T>(acc[2 * c], p, b);
            mma<T>(acc[2 * c + 1], p, b + 2);
        }
    }
}

/* rows i and i + 8 of O[n][D], as far as there are: acc / sum; zeros in a row that has seen no key */
template <class T, int D>
static __device__ void store(const float (*acc)[4], const float *sum, const size_t *keys, T *O, size_t i, size_t n)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const size_t row = i + 8 * h;
        const float total = quad_sum(sum[h]);
        for (int c = 0; c < D / 8; c++) {
            const float left = keys[h] ? acc[c][2 * h] / total : 0, right = keys[h] ? acc[c][2 * h + 1] / total : 0;
            if (row < n) *(unsigned *)&O[row * D + 8 * c + two()] = pack<T>(left, right);
        }
    }
}

template <class T, int D>
static __global__ void __launch_bounds__(Threads)
flash_mma_kernel(const cuda_problem a, const T *Q, const T *K, const T *V, T *O)
{
    constexpr int Bc = keys_a_tile(D), Tile = Bc * pitch(D);
    extern __shared__ __align__(16) unsigned char shared[];
    T *const pairs = (T *)shared; /* a tile of K and one of V, for even steps and for odd */

    const size_t count = tiles(a.n, Br), head = blockIdx.x / count, first = blockIdx.x % count * Br;
    const size_t most = visible(a, min(first + Br, a.n) - 1); /* what the block's last query sees */
    const size_t i = first + threadIdx.x / Warp * 16 + lane() / 4;
    const size_t keys[2] = {i < a.n ? visible(a, i) : 0, i + 8 < a.n ? visible(a, i + 8) : 0};
    Q += head * a.n * D, K += kv_head(a, head) * a.m * D;
    O += head * a.n * D, V += kv_head(a, head) * a.m * D;

    unsigned q[D / 16][4];
    float acc[D / 8][4] = {}, max[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    load_queries<T, D>(q, Q, i, a.n);
    if (most) load_pair<T, D>(pairs, K, V, 0, a.m);
    __pipeline_commit();

    for (size_t j0 = 0, odd = 0; j0 < most; j0 += Bc, odd ^= 1) {
        const T *k = pairs + odd * 2 * Tile, *v = k + Tile;
        if (j0 + Bc < most) load_pair<T, D>(pairs + (odd ^ 1) * 2 * Tile, K, V, j0 + Bc, a.m);
        __pipeline_commit();
        __pipeline_wait_prior(1); /* all but the newest: what this thread set out for this step has arrived */
        __syncthreads();          /* and what the others set out, too */

        float s[Bc / 8][4] = {};
        scores<T, D>(s, q, k);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int seen = keys[h] <= j0 ? 0 : min(keys[h] - j0, (size_t)Bc);
            enter<D>(h, seen, a.scale, s, acc, max[h], sum[h]);
        }
        add_values<T, D>(acc, s, v);
        __syncthreads(); /* these tiles have been read; the copies of the next step may land on them */
    }

    store<T, D>(acc, sum, keys, O, i, a.n);
}

/* the width that rows of d elements are padded to; 0 if there is none */
size_t mma_width(size_t d)
{
    static const size_t widths[] = {16, 32, 64, 80, 96, 128, 256};
    for (size_t width : widths)
        if (d <= width) return width;
    return 0;
}

static int check_capability()
{
    cudaDeviceProp device;
    const int error = check(cudaGetDeviceProperties(&device, 0), "the device");
    if (error || device.major >= 8) return error;
    return refuse(ENOTSUP, "flash_mma needs compute capability 8.0; %s has %d.%d", device.name, device.major,
                  device.minor);
}

template <class T, int D> static int launch(const cuda_problem &a, const T *Q, const T *K, const T *V, T *O)
{
    const size_t blocks = tiles(a.n, Br) * a.heads * a.batch;
    const int bytes = 4 * keys_a_tile(D) * pitch(D) * sizeof(T);
    if (int error = check_capability()) return error;
    if (int error = check_blocks(blocks, "flash_mma")) return error;
    if (int error = check(cudaFuncSetAttribute(flash_mma_kernel<T, D>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               bytes), "flash_mma's shared memory")) return error;
    flash_mma_kernel<T, D><<<blocks, Threads, bytes>>>(a, Q, K, V, O);
    return check(cudaGetLastError(), "flash_mma");
}

template <class T> int flash_mma(const cuda_problem &a, const T *Q, const T *K, const T *V, T *O)
{
    switch (mma_width(max(a.d, a.dv))) {
    case 16: return launch<T, 16>(a, Q, K, V, O);
    case 32: return launch<T, 32>(a, Q, K, V, O);
    case 64: return launch<T, 64>(a, Q, K, V, O);
    case 80: return launch<T, 80>(a, Q, K, V, O);
    case 96: return launch<T, 96>(a, Q, K, V, O);
    case 128: return launch<T, 128>(a, Q, K, V, O);
    case 256: return launch<T, 256>(a, Q, K, V, O);
    default: return refuse(EINVAL, "flash_mma: d = %zu and dv = %zu must lie between 1 and 256", a.d, a.dv);
    }
}

/* Q and O once; K and V once for each block, as far as it goes; all as wide as they are padded */
cuda_moves flash_mma_moves(const cuda_problem &a)
{
    const size_t width = mma_width(max(a.d, a.dv));
    cuda_moves head = {a.n * width, a.n * width};
    for (size_t first = 0; first < a.n; first += Br)
        head.read += rows_read(visible(a, min(first + Br, a.n) - 1), keys_a_tile(width), a.m) * 2 * width;
    return {a.batch * a.heads * head.read, a.batch * a.heads * head.written};
}

template int flash_mma(const cuda_problem &, const __half *, const __half *, const __half *, __half *);
template int flash_mma(const cuda_problem &, const __nv_bfloat16 *, const __nv_bfloat16 *, const __nv_bfloat16 *,
                       __nv_bfloat16 *);
