/* Every word of CUDA C that `make try-5` promises to know, used once and held to what the manual or the host says of
 * it. On a GPU the same source gives the same.
 *
 *     program             a line for each value that is wrong; exit status 1 if there is one
 *     program assert      an assertion of a kernel fails */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <string.h>
#include <vector>
using namespace std;
namespace cg = cooperative_groups;

__managed__ int wrong;
template <class A, class B> __host__ __device__ void same(A is, B expected, const char *what, int line)
{
    if (is == expected) return;
    printf("vocabulary.cu:%d: %s is %.9g and not %.9g\n", line, what, (double)is, (double)expected);
    wrong = 1;
}
__host__ __device__ void near(double is, double expected, const char *what, int line)
{
    if (!(fabs(is - expected) <= 1e-6 * fmax(1.0, fabs(expected)))) same(is, expected, what, line);
}
#define SAME(is, ...) same(is, __VA_ARGS__, #is, __LINE__)
#define NEAR(is, ...) near(is, __VA_ARGS__, #is, __LINE__)
#define EACH(l) for (int l = 0; l < 32; l++)

/* ---- arithmetic ---- */
__global__ void integers(unsigned ones, int three)
{
    SAME(__popc(0xf0f0), 8), SAME(__popcll(~0ull), 64);
    SAME(__clz(0), 32), SAME(__clz(ones), 0), SAME(__clzll(1), 63);
    SAME(__ffs(0), 0), SAME(__ffs(8), 4), SAME(__ffsll(1ll << 40), 41);
    SAME(__brev(1), 1u << 31), SAME(__brevll(2), 1ull << 62);
    SAME(__byte_perm(0x33221100, 0x77665544, 0x7250), 0x77225500);
    SAME(__mul24(-three, 5), -15), SAME(__umul24(ones, 2), 0x1fffffeu);
    SAME(__mulhi(1 << 30, -8), -2), SAME(__umulhi(1u << 31, 6), 3u);
    SAME(__mul64hi(1ll << 62, -8), -2ll), SAME(__umul64hi(1ull << 63, 6), 3ull);
    SAME(__hadd(-three, 6), 1), SAME(__rhadd(-three, 6), 2);
    SAME(__uhadd(ones, ones - 1), ones - 1), SAME(__urhadd(ones, ones - 1), ones);
    SAME(__sad(-5, 7, 1), 13u), SAME(__usad(5, 7, 1), 3u);
    SAME(__funnelshift_l(1u << 31, 1, 4), 24u), SAME(__funnelshift_r(1u << 31, 1, 4), 0x18000000u);
    SAME(__funnelshift_lc(5, 7, 40), 5u), SAME(__funnelshift_rc(5, 7, 40), 7u);
    SAME(__dp4a(0x010203ff, 0x01020304, 100), 110), SAME(__dp4a(0x010203ffu, 0x01020304u, 100u), 1134u);
    SAME(min(three, 4), 3), SAME(max(3u, 4u), 4u), SAME(min(1.5f, 2.5f), 1.5f), SAME(max(1.5, 2.5), 2.5);
    SAME(abs(-three), 3);
}
__global__ void floats(float one, float third)
{
    NEAR(__expf(one), exp(1.)), NEAR(__exp10f(2), 100), NEAR(__logf(10), log(10.)), NEAR(__log2f(8), 3);
    NEAR(__log10f(1000), 3), NEAR(__sinf(one), sin(1.)), NEAR(__cosf(one), cos(1.)), NEAR(__tanf(one), tan(1.));
    NEAR(__powf(2, 10), 1024), NEAR(__fdividef(1, 3), third), NEAR(fdividef(1, 3), third);
    NEAR(rsqrtf(16), 0.25), NEAR(rsqrt(16.), 0.25), NEAR(__frsqrt_rn(16), 0.25), NEAR(rcbrtf(27), third);
    NEAR(exp10f(3), 1000), NEAR(exp2f(third), pow(2, 1. / 3)), NEAR(cbrtf(27), 3), NEAR(hypotf(3, 4), 5);
    NEAR(sinpif(0.5f), 1), NEAR(cospif(1), -1), NEAR(norm3df(2, 3, 6), 7), NEAR(normcdff(0), 0.5), NEAR(erff(0), 0);
    NEAR(tanhf(third), tanh(1. / 3)), NEAR(fmaf(2, 3, 4), 10), NEAR(log1pf(third), log1p(1. / 3)), NEAR(expm1f(0), 0);
    SAME(__saturatef(7), 1), SAME(__saturatef(-one), 0), SAME(fminf(1, 2), 1), SAME(fmaxf(1, 2), 2);
    SAME(isnan(NAN * one), true), SAME(isinf(INFINITY * one), true), SAME(fabsf(-one), 1), SAME(rintf(2.5f), 2);
    float s, c;
    __sincosf(one, &s, &c), NEAR(s, sin(1.)), NEAR(c, cos(1.));
    sincospif(0.5f, &s, &c), NEAR(s, 1), NEAR(c, 0);
    SAME(__float_as_int(one), 0x3f800000), SAME(__float_as_uint(-one), 0xbf800000u);
    SAME(__int_as_float(0x3f800000), one), SAME(__uint_as_float(0xbf800000), -one);
    SAME(__double_as_longlong(1.), 0x3ff0000000000000ll), SAME(__longlong_as_double(0x4000000000000000ll), 2.);
    SAME(__hiloint2double(0x3ff00000, 1), 1 + 0x1p-52), SAME(__double2hiint(1.), 0x3ff00000);
    SAME(__double2loint(1 + 0x1p-52), 1);
}
__global__ void rounded(float one, double tiny)
{
    const float up = 1 + 0x1p-23f, down = 1 - 0x1p-24f, small = (float)tiny;
    SAME(__fadd_rn(one, small), 1), SAME(__fadd_rz(one, small), 1), SAME(__fadd_rd(one, small), 1);
    SAME(__fadd_ru(one, small), up), SAME(__fsub_rn(one, small), 1), SAME(__fsub_rz(one, small), down);
    SAME(__fmul_rn(3, one), 3), SAME(__fmul_ru(up, up), 1 + 0x1p-22f + 0x1p-23f), SAME(__fmul_rd(up, up), 1 + 0x1p-22f);
    SAME(__fdiv_rn(one, 3), 1 / 3.f), SAME(__fdiv_rd(one, 3) < 1 / 3., true), SAME(__fdiv_ru(one, 3) > 1 / 3., true);
    SAME(__frcp_rn(3), 1 / 3.f), SAME(__frcp_rd(3) < 1 / 3., true), SAME(__fsqrt_rn(2), sqrtf(2));
    SAME(__fsqrt_rd(2) < sqrt(2.), true), SAME(__fsqrt_ru(2) > sqrt(2.), true);
    SAME(__fmaf_rn(up, up, -1), 0x1p-22f), SAME(__fmaf_ru(2, 3, small), nextafterf(6, 7)), SAME(__fma_rn(2, 3, 4), 10);
    SAME(__dadd_rn(1, 0x1p-60), 1), SAME(__dadd_ru(1, 0x1p-60), 1 + 0x1p-52), SAME(__dsub_rn(3, 1), 2);
    SAME(__dmul_rn(3, 4), 12), SAME(__ddiv_rn(1, 3), 1 / 3.), SAME(__dsqrt_rn(2), sqrt(2.)), SAME(__drcp_rn(4), 0.25);
    SAME(__float2int_rn(2.5f), 2), SAME(__float2int_rz(-2.5f), -2), SAME(__float2int_ru(2.1f), 3);
    SAME(__float2int_rd(-2.1f), -3), SAME(__float2int_rn(1e20f), 0x7fffffff), SAME(__float2int_rn(NAN), 0);
    SAME(__float2uint_rn(3e9f), 3000000000u), SAME(__float2uint_rz(-1), 0u), SAME(__float2ll_rn(1e12f), 999999995904ll);
    SAME(__double2int_rn(-2.5), -2), SAME(__double2uint_rz(2.9), 2u), SAME(__double2ll_rd(-2.1), -3ll);
    SAME(__int2float_rn(0x7fffffff), 0x1p31f), SAME(__int2float_rz(0x7fffffff), 0x1p31f - 128);
    SAME(__uint2float_rn(7), 7), SAME(__ll2float_rn(1ll << 40), 0x1p40f), SAME(__ull2double_rn(1ull << 60), 0x1p60);
    SAME(__int2double_rn(-7), -7), SAME(__double2float_rn(1 / 3.), 1 / 3.f);
    SAME(__double2float_rd(1 / 3.) < 1 / 3., true), SAME(__double2float_ru(1 / 3.) > 1 / 3., true);
}
/* H: half or bfloat16, whose functions have its name in theirs */
#define SIXTEEN(H, H2, name, step)                                                                                     \
    __global__ void sixteen_##name(float one)                                                                          \
    {                                                                                                                  \
        const H a = __float2##name(one), b = __float2##name##_rn(2.5f), big = __double2##name(3e38);                   \
        const H2 ab = __floats2##name##2_rn(1, 2.5f), bb = __##name##2##name##2(b);                                    \
        SAME(__##name##2float(b), 2.5f), SAME((float)__float2##name(1 + step / 2), 1), SAME(__hgt(big, b), true);      \
        SAME((float)__float2##name(1 + step * 3 / 2), 1 + 2 * step);                                                   \
        SAME((float)(a + b), 3.5f), SAME((float)(a - b), -1.5f), SAME((float)(b * b), 6.25f), SAME(float(b / a), 2.5); \
        SAME((float)__hadd(a, b), 3.5f), SAME((float)__hsub(a, b), -1.5f), SAME((float)__hmul(b, b), 6.25f);           \
        SAME((float)__hdiv(b, a), 2.5f), SAME((float)__hfma(b, b, a), 7.25f), SAME((float)__hneg(a), -1);              \
        SAME((float)__habs(__hneg(b)), 2.5f), SAME((float)__hmax(a, b), 2.5f), SAME((float)__hmin(a, b), 1);           \
        SAME((float)__hfma(__float2##name(1 + step), __float2##name(step / 2), a), 1 + step);                          \
        SAME(__hlt(a, b), true), SAME(__hle(b, a), false), SAME(__hge(a, a), true), SAME(__heq(a, b), false);          \
        SAME(__hne(a, b), true), SAME(__hisnan(a), false), SAME(a < b, true), SAME(a == b, false);                     \
        SAME((float)hsqrt(__float2##name(6.25f)), 2.5f), SAME((float)hexp(a - a), 1), SAME((float)hlog(a), 0);         \
        SAME((float)hrcp(__float2##name(4)), 0.25f), SAME((float)hrsqrt(__float2##name(4)), 0.5f);                     \
        SAME((float)hfloor(b), 2), SAME((float)hceil(b), 3), SAME((float)hrint(b), 2);                                 \
        SAME(__##name##2int_rn(b), 2), SAME((float)__int2##name##_rn(-3), -3);                                         \
        SAME(__##name##_as_ushort(a), __##name##_as_short(a)), SAME((float)__ushort_as_##name(0x8000), 0);             \
        const H2 sum = ab + bb, fma = __hfma2(ab, bb, ab), c = __halves2##name##2(b, a);                               \
        SAME(__low2float(sum), 3.5f), SAME(__high2float(sum), 5), SAME(__low2float(fma), 3.5f);                        \
        SAME(__high2float(fma), 8.75f), SAME((float)__low2##name(c), 2.5f), SAME((float)__high2##name(c), 1);          \
        SAME(__low2float(__hadd2(ab, bb)), 3.5f), SAME(__high2float(__hsub2(ab, bb)), 0), SAME((float)sum.y, 5);       \
        SAME(__low2float(__hmul2(ab, bb)), 2.5f), SAME(__low2float(__h2div(bb, ab)), 2.5f);                            \
        SAME(__high2float(__hmax2(ab, c)), 2.5f), SAME(__low2float(__hmin2(ab, c)), 1), SAME(__hbeq2(ab, c), false);   \
        SAME(__##name##22float2(ab).y, 2.5f), SAME(__low2float(__float22##name##2_rn(make_float2(3, 4))), 3);          \
        SAME(__high2float(__float2##name##2_rn(3)), 3), SAME(__low2float(__hneg2(ab)), -1);                            \
        SAME(__low2float(h2exp(ab - ab)), 1), SAME(__high2float(__low2##name##2(ab)), 1);                              \
    }
SIXTEEN(half, half2, half, 0x1p-10f)
SIXTEEN(__nv_bfloat16, __nv_bfloat162, bfloat16, 0x1p-7f)

/* ---- threads ---- */
__global__ void atomics_of_integers(unsigned *u, int *i, unsigned long long *l)
{
    const unsigned t = threadIdx.x;
    atomicAdd(&u[0], t), atomicSub(&u[1], 1), atomicMin(&u[2], t), atomicMax(&u[3], t), atomicAnd(&u[4], ~(1u << t));
    atomicOr(&u[5], 1u << t), atomicXor(&u[6], 3u << t), atomicInc(&u[7], 4), atomicDec(&u[8], 4);
    if (t == 5) SAME(atomicExch(&u[9], 7u), 100u), SAME(atomicCAS(&u[10], 100, 8), 100u);
    if (t == 5) SAME(atomicCAS(&u[10], 0, 9), 8u);
    atomicAdd(&i[0], -2), atomicSub(&i[1], -2), atomicMin(&i[2], -(int)t), atomicMax(&i[3], (int)t - 9);
    if (t == 6) SAME(atomicExch(&i[4], -1), 100), SAME(atomicCAS(&i[5], 100, -7), 100);
    atomicAdd(&l[0], 1ull << 40), atomicMin(&l[1], (unsigned long long)t), atomicMax(&l[2], 1ull * t << 33);
    atomicOr(&l[3], 1ull << 2 * t), atomicAnd(&l[4], ~(1ull << t)), atomicXor(&l[5], 1ull << t);
    if (t == 7) SAME(atomicExch(&l[6], 7ull), 100ull), SAME(atomicCAS(&l[7], 100ull, 1ull << 50), 100ull);
    atomicAdd_block(&u[11], 1);
}
__global__ void atomics_of_floats(float *f, double *d, half2 *h)
{
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0, SAME(atomicExch(&f[1 + blockIdx.x], 2.5f), 100);
    __syncthreads();
    atomicAdd(&f[0], 0.5f), atomicAdd(&d[0], 0.25), atomicAdd(&sum, 1.f);
    atomicAdd(h, __floats2half2_rn(1, 2));
    unsigned long long *p = (unsigned long long *)&d[1], old = *(volatile unsigned long long *)p, then;
    do then = old, old = atomicCAS(p, then, __double_as_longlong(1 + __longlong_as_double(then)));
    while (old != then);
    __syncthreads();
    if (threadIdx.x == 0) f[1 + blockIdx.x] += sum;
}
__global__ void votes(int *out)
{
    const int l = threadIdx.x;
    SAME(__all_sync(~0u, l < 32), 1), SAME(__all_sync(~0u, l), 0), SAME(__any_sync(~0u, l == 9), 1);
    SAME(__any_sync(~0u, l > 40), 0), SAME(__ballot_sync(~0u, l & 1), 0xaaaaaaaau), SAME(__activemask(), ~0u);
    if (l < 8) SAME(__ballot_sync(0xff, l > 3), 0xf0u), SAME(__activemask(), 0xffu);
    SAME(__reduce_add_sync(~0u, l), 496), SAME(__reduce_min_sync(~0u, l - 7), -7);
    SAME(__reduce_max_sync(~0u, 3u * l), 93u), SAME(__reduce_and_sync(~0u, l | 64u), 64u);
    SAME(__reduce_or_sync(~0u, 1u * l), 31u), SAME(__reduce_xor_sync(~0u, 1u << l), ~0u);
    int all;
    SAME(__match_any_sync(~0u, l % 4), 0x11111111u << l % 4), SAME(__match_all_sync(~0u, 5, &all), ~0u), SAME(all, 1);
    SAME(__match_all_sync(~0u, l, &all), 0u), SAME(all, 0);
    out[l] = l;
    __syncwarp();
    SAME(out[l ^ 1], l ^ 1);
    SAME(__syncthreads_count(l < 5), 5), SAME(__syncthreads_and(l < 32), 1), SAME(__syncthreads_or(l == 40), 0);
}
template <class T> __global__ void shuffles()
{
    const int l = threadIdx.x;
    const T x = (T)(10 * l);
    SAME((float)__shfl_sync(~0u, x, 3), 30), SAME((float)__shfl_sync(~0u, x, 9, 8), 10 * (l / 8 * 8 + 1));
    SAME((float)__shfl_up_sync(~0u, x, 4), 10 * (l < 4 ? l : l - 4));
    SAME((float)__shfl_up_sync(~0u, x, 4, 16), 10 * (l % 16 < 4 ? l : l - 4));
    SAME((float)__shfl_down_sync(~0u, x, 4), 10 * (l > 27 ? l : l + 4));
    SAME((float)__shfl_xor_sync(~0u, x, 5), 10 * (l ^ 5));
    SAME((float)__shfl_xor_sync(~0u, x, 8, 8), 10 * (l & 8 ? l - 8 : l)); /* of a later group: its own */
}
__global__ void groups()
{
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    const int t = threadIdx.x, r = t % 8;
    SAME(block.size(), 64u), SAME(block.thread_rank(), 1u * t), SAME(block.group_index().x, blockIdx.x);
    SAME(tile.size(), 8u), SAME(tile.thread_rank(), 1u * r), SAME(tile.meta_group_rank(), t % 32 / 8u);
    SAME(tile.meta_group_size(), 4u), SAME(warp.meta_group_size(), 2u), SAME(block.num_threads(), 64u);
    SAME(tile.shfl(t, 3), t / 8 * 8 + 3), SAME(tile.shfl_down(t, 1), r < 7 ? t + 1 : t);
    SAME(tile.shfl_xor(t, 1), t ^ 1), SAME(tile.shfl_up(t, 2), r < 2 ? t : t - 2);
    SAME(tile.any(r == 7), 1), SAME(tile.all(r), 0), SAME(tile.ballot(r > 3), 0xf0u);
    SAME(tile.match_any(r / 4), r < 4 ? 0x0fu : 0xf0u);
    SAME(cg::reduce(warp, t % 32, cg::plus<int>()), 496), SAME(cg::reduce(tile, r, cg::greater<int>()), 7);
    SAME(cg::reduce(tile, r, cg::less<int>()), 0), SAME(cg::reduce(tile, 1 << r, cg::bit_or<int>()), 255);
    SAME(cg::inclusive_scan(tile, r), r * (r + 1) / 2), SAME(cg::exclusive_scan(tile, r), r * (r - 1) / 2);
    if (r < 3) {
        const cg::coalesced_group together = cg::coalesced_threads();
        SAME(together.size(), 12u), SAME(together.thread_rank(), t % 32 / 8 * 3u + r);
        SAME(together.shfl(t, 0), t / 32 * 32), together.sync();
    }
    const auto odd = cg::binary_partition(warp, t & 1);
    SAME(odd.size(), 16u);
    tile.sync(), warp.sync(), block.sync(), cg::sync(block);
    SAME(cg::this_grid().thread_rank(), blockIdx.x * 64ull + t);
}

/* ---- memory ---- */
__constant__ float table[4];
__constant__ int scale = 3;
__device__ int counter = 5, grid[2][3];
__shared__ int of_the_file[32];
struct __align__(16) Aligned { char c[5]; };
__device__ __forceinline__ int tripled(int x) { return scale * x; }
__device__ __noinline__ int next(int x) { return x + 1; }

__global__ void __launch_bounds__(64, 2) memory(const float *__restrict__ in, float4 *__restrict__ out)
{
    const int t = threadIdx.x;
    of_the_file[t] = tripled(t);
    __syncthreads();
    SAME(of_the_file[31 - t], 3 * (31 - t)), SAME(sizeof(Aligned), 16u), SAME(next(t), t + 1), SAME(warpSize, 32);
    if (t == 0) counter++, grid[1][2] = counter;
    SAME(__ldg(in + t), t), SAME(__ldcg(in + t), t), SAME(__ldcs(&((const float4 *)in)[t / 4]).x, t / 4 * 4);
    out[t] = make_float4(table[t % 4], t, __int2float_rn(t), in[t]);
    const int2 two = make_int2(1, 2);
    const uchar4 four = make_uchar4(1, 2, 3, 255);
    const double2 d = make_double2(0.5, two.y);
    const longlong2 big = {1ll << 40, 0};
    SAME(two.x + four.w + d.y, 258), SAME(sizeof(float3), 12u), SAME(alignof(float4), 16u), SAME(big.x, 1ll << 40);
    const dim3 size(2, 3);
    SAME(size.x * size.y * size.z, 6u), SAME(clock64() > 0 && clock() != 0, true);
    __threadfence(), __threadfence_block(), __threadfence_system();
    assert(t < 32);
}
__global__ void pipeline(const float4 *in, float *out)
{
    __shared__ float4 tile[2][32];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&tile[k][threadIdx.x], &in[32 * k + threadIdx.x], sizeof(float4), k ? 8 : 0);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[0][31 - threadIdx.x].w;
    __pipeline_wait_prior(0);
    __syncthreads();
    const float4 last = tile[1][31 - threadIdx.x];
    out[32 + threadIdx.x] = last.x + last.y + last.z + last.w;
}
extern __shared__ float dynamic[];
__global__ void reversed(float *x)
{
    dynamic[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}
__global__ void fails(int x) { assert(x == 1); }

/* ---- launches ---- */
namespace outer { namespace inner {
template <class T, int N = 2> struct Pair { T x[N]; };
template <class T, int N, bool Flag = (N > 2)> __global__ void fill(T *p, T x, int n = 32)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) p[i] = Flag ? x : N * x;
}
} }
__global__ void where(int *out)
{
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, threads = blockDim.x * blockDim.y;
    out[block * threads + threadIdx.y * blockDim.x + threadIdx.x] = block;
}

/* ---- the host ---- */
template <class T> struct Managed { /* n of them, all x */
    T *p;
    Managed(int n, T x)
    {
        SAME(cudaMallocManaged(&p, n * sizeof *p), cudaSuccess);
        for (int i = 0; i < n; i++) p[i] = x;
    }
    ~Managed() { SAME(cudaFree(p), cudaSuccess); }
    Managed(const Managed &) = delete;
    operator T *() { return p; }
    void expect(initializer_list<T> all, int line)
    {
        same(cudaDeviceSynchronize(), cudaSuccess, "the launch", line);
        for (const T &x : all) same(p[&x - all.begin()], x, "a result", line);
    }
};
static void test_arithmetic()
{
    integers<<<1, 1>>>(~0u, 3);
    floats<<<1, 1>>>(1, 1 / 3.f);
    rounded<<<1, 1>>>(1, 0x1p-40);
    sixteen_half<<<1, 1>>>(1);
    sixteen_bfloat16<<<1, 1>>>(1);
    SAME(cudaDeviceSynchronize(), cudaSuccess);
}
static void test_threads()
{
    Managed<unsigned> u(12, 100);
    Managed<int> i(6, 100), out(32, 0);
    Managed<unsigned long long> l(8, 100);
    u[4] = u[8] = ~0u, u[5] = u[6] = u[7] = 0, l[4] = ~0ull, l[3] = l[5] = 0;
    atomics_of_integers<<<1, 32>>>(u, i, l);
    u.expect({596, 68, 0, 100, 0, ~0u, 1, 2, 3, 7, 8, 132}, __LINE__);
    i.expect({36, 164, -31, 100, -1, -7}, __LINE__);
    l.expect({100 + (32ull << 40), 0, 31ull << 33, ~0ull / 3, ~0ull << 32, ~0u, 7, 1ull << 50}, __LINE__);
    Managed<float> f(3, 100);
    Managed<double> d(2, 100);
    Managed<half2> h(1, __floats2half2_rn(0, 0));
    atomics_of_floats<<<2, 32>>>(f, d, h);
    f.expect({132, 34.5f, 34.5f}, __LINE__), d.expect({116, 164}, __LINE__);
    SAME(__low2float(h[0]), 64), SAME(__high2float(h[0]), 128);
    votes<<<1, 32>>>(out);
    shuffles<int><<<1, 32>>>();
    shuffles<unsigned long long><<<1, 32>>>();
    shuffles<float><<<1, 32>>>();
    shuffles<double><<<1, 32>>>();
    shuffles<half><<<1, 32>>>();
    groups<<<2, 64>>>();
    SAME(cudaDeviceSynchronize(), cudaSuccess);
}
static void test_memory()
{
    float host[256], four[4] = {4, 3, 2, 1}, *in, *pinned;
    float4 *out;
    int count = 0;
    for (int i = 0; i < 256; i++) host[i] = i;
    SAME(cudaMalloc(&in, sizeof host), cudaSuccess), SAME(cudaMalloc((void **)&out, 32 * sizeof *out), cudaSuccess);
    SAME(cudaMallocHost(&pinned, sizeof host), cudaSuccess), memcpy(pinned, host, sizeof host);
    SAME(cudaMemcpy(in, pinned, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    SAME(cudaMemcpyToSymbol(table, four, sizeof four), cudaSuccess);
    memory<<<1, 32>>>(in, out);
    SAME(cudaMemcpy(host, out, 32 * sizeof *out, cudaMemcpyDefault), cudaSuccess);
    for (int i = 0; i < 128; i++) SAME(host[i], i % 4 ? i / 4 : four[i / 4 % 4]);
    SAME(cudaMemcpyFromSymbol(&count, counter, sizeof count), cudaSuccess), SAME(count, 6);
    SAME(cudaMemcpyFromSymbol(&count, grid, sizeof count, 5 * sizeof count), cudaSuccess), SAME(count, 6);
    void *p;
    SAME(cudaGetSymbolAddress(&p, counter), cudaSuccess), SAME(cudaMemset(p, 0xff, sizeof count), cudaSuccess);
    SAME(cudaMemcpyFromSymbol(&count, counter, sizeof count), cudaSuccess), SAME(count, -1);
    pipeline<<<1, 32>>>((const float4 *)in, (float *)out);
    SAME(cudaMemcpy(host, out, 64 * sizeof *host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int t = 0; t < 32; t++) SAME(host[t], 4 * (31 - t) + 3), SAME(host[32 + t], 8 * (63 - t) + 1);
    reversed<<<1, 256, sizeof host>>>(in);
    SAME(cudaMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 256; i++) SAME(host[i], 255 - i);
    SAME(cudaFree(in), cudaSuccess), SAME(cudaFree(out), cudaSuccess), SAME(cudaFreeHost(pinned), cudaSuccess);
}
static void test_launches()
{
    Managed<int> p(64, 0);
    Managed<outer::inner::Pair<float, 4>> pairs(1, {});
    cudaStream_t stream;
    SAME(cudaStreamCreate(&stream), cudaSuccess);
    outer::inner::fill<int, 2><<<1, 32>>>(p.p, 5); /* a default argument */
    SAME(cudaStreamSynchronize(stream), cudaSuccess), SAME(p[31], 10), SAME(p[32], 0);
    outer::inner::fill<int, (4 > 3 ? 3 : 1)> <<< 2, dim3(16, 1, 1), 0, stream >>> (p, 5, 64);
    SAME(cudaStreamSynchronize(stream), cudaSuccess), SAME(p[63], 5);
    outer::inner::fill<vector<int>::value_type, 1, false>
        <<<dim3(2),
           16>>>(
            p, 7, 64);
    SAME(cudaDeviceSynchronize(), cudaSuccess), SAME(p[63], 7);
    using namespace outer::inner;
    fill<float, 2><<<1, 4>>>(pairs.p->x, 1.5f, 4);
    SAME(cudaDeviceSynchronize(), cudaSuccess), SAME(pairs.p->x[3], 3);
    void (*const kernel)(int *) = where;
    for (int n : {1, 2}) kernel<<<dim3(2, n, 2), dim3(4, 2), 0>>>(p);
    SAME(cudaDeviceSynchronize(), cudaSuccess), SAME(p[0], 0), SAME(p[63], 7), SAME(p[33], 4);
    if (p[0] == 0) where <<<1, 1>>>(p); else SAME(1, 2);
    SAME(cudaStreamDestroy(stream), cudaSuccess);
}
static void test_runtime()
{
    int n = 0, value = 0, *p = NULL, host[4] = {1, 2, 3, 4}, back[4] = {0};
    cudaDeviceProp device;
    cudaEvent_t from, to;
    cudaStream_t stream;
    float ms = -1;
    SAME(cudaGetDeviceCount(&n), cudaSuccess), SAME(n > 0, true), SAME(cudaSetDevice(0), cudaSuccess);
    SAME(cudaGetDevice(&n), cudaSuccess), SAME(n, 0), SAME(cudaGetDeviceProperties(&device, 0), cudaSuccess);
    SAME(device.warpSize, 32), SAME(device.maxThreadsPerBlock, 1024), SAME(device.sharedMemPerBlock, 48u * 1024);
    SAME(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess), SAME(value, 32);
    SAME(strlen(device.name) > 0, true), SAME(device.totalGlobalMem > 1u << 30, true);
    SAME(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    SAME(cudaEventCreate(&from), cudaSuccess), SAME(cudaEventCreate(&to), cudaSuccess);
    SAME(cudaMalloc(&p, sizeof host), cudaSuccess), SAME(cudaEventRecord(from, stream), cudaSuccess);
    SAME(cudaMemsetAsync(p, 0, sizeof host, stream), cudaSuccess);
    SAME(cudaMemcpyAsync(p + 1, host, 3 * sizeof *p, cudaMemcpyHostToDevice, stream), cudaSuccess);
    SAME(cudaMemcpyAsync(back, p, sizeof host, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    SAME(cudaEventRecord(to, stream), cudaSuccess), SAME(cudaStreamWaitEvent(stream, to, 0), cudaSuccess);
    SAME(cudaEventSynchronize(to), cudaSuccess), SAME(cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    SAME(ms >= 0, true), SAME(back[0], 0), SAME(back[3], 3), SAME(cudaStreamQuery(stream), cudaSuccess);
    SAME(cudaEventDestroy(from), cudaSuccess), SAME(cudaEventDestroy(to), cudaSuccess);
    SAME(cudaStreamDestroy(stream), cudaSuccess), SAME(cudaFree(p), cudaSuccess), SAME(cudaFree(NULL), cudaSuccess);
    SAME(cudaPeekAtLastError(), cudaSuccess);
    SAME(cudaSetDevice(99), cudaErrorInvalidDevice), SAME(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    SAME(cudaGetLastError(), cudaErrorInvalidDevice), SAME(cudaGetLastError(), cudaSuccess);
    SAME(strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice"), 0);
    SAME(strcmp(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal"), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "assert")) {
        fails<<<1, 1>>>(2);
        SAME(cudaDeviceSynchronize(), cudaErrorAssert), SAME(cudaGetLastError(), cudaErrorAssert);
        return wrong;
    }
    test_arithmetic();
    test_threads();
    test_memory();
    test_launches();
    test_runtime();
    return wrong;
}
