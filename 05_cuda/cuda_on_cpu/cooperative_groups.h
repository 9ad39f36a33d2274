/* Groups of threads: a block, tiles of a warp, the lanes that have come together. A group within a warp is a mask, and
 * its operations are those of the warp. */
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups {

static inline unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

struct thread_group {
    unsigned mask; /* of lanes; 0: the whole block */
    unsigned size() const { return mask ? __popc(mask) : blockDim.x * blockDim.y * blockDim.z; }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const
    {
        return mask ? __popc(mask & ((1u << cuda_on_cpu_lane()) - 1)) : rank_in_block();
    }
    void sync(CUDA_ON_CPU_HERE) const { mask ? __syncwarp(mask, file, line) : __syncthreads(file, line); }
};
struct thread_block : thread_group {
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
struct grid_group {
    unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const
    {
        const unsigned long long block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * (blockDim.x * blockDim.y * blockDim.z) + rank_in_block();
    }
    static dim3 group_dim() { return gridDim; }
    template <class T = int> void sync(const char * = NULL, int = 0) const
    {
        static_assert(sizeof(T) == 0, "grid.sync() is not part of the emulation: its blocks run one after the other");
    }
};

struct warp_group : thread_group { /* within a warp: the lanes of the mask, ranked in ascending order */
    int lane_of(unsigned rank) const
    {
        unsigned rest = mask;
        while (rank-- && rest) rest &= rest - 1;
        return rest ? __builtin_ctz(rest) : cuda_on_cpu_lane(); /* past the end: its own */
    }
    template <class T> T from(unsigned rank, T x, const char *file, int line) const
    {
        return __shfl_sync(mask, x, lane_of(rank), 32, file, line);
    }
    template <class T> T shfl(T x, unsigned r, CUDA_ON_CPU_HERE) const { return from(r % size(), x, file, line); }
    template <class T> T shfl_xor(T x, unsigned b, CUDA_ON_CPU_HERE) const
    {
        return from(thread_rank() ^ b, x, file, line);
    }
    template <class T> T shfl_down(T x, unsigned n, CUDA_ON_CPU_HERE) const
    {
        return from(thread_rank() + n, x, file, line);
    }
    template <class T> T shfl_up(T x, unsigned n, CUDA_ON_CPU_HERE) const
    {
        return from(thread_rank() < n ? thread_rank() : thread_rank() - n, x, file, line);
    }
    int any(int p, CUDA_ON_CPU_HERE) const { return __any_sync(mask, p, file, line); }
    int all(int p, CUDA_ON_CPU_HERE) const { return __all_sync(mask, p, file, line); }
    unsigned ballot(int p, CUDA_ON_CPU_HERE) const { return ranks(__ballot_sync(mask, p, file, line)); }
    template <class T> unsigned match_any(T x, CUDA_ON_CPU_HERE) const
    {
        return ranks(__match_any_sync(mask, x, file, line));
    }
    unsigned ranks(unsigned lanes) const /* a mask of lanes as one of ranks */
    {
        unsigned bits = 0;
        for (unsigned r = 0; r < size(); r++) bits |= (lanes >> lane_of(r) & 1) << r;
        return bits;
    }
};
struct coalesced_group : warp_group {};
template <unsigned Size, class Parent = void> struct thread_block_tile : warp_group {
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile of more than 32 threads is not part of the emulation");
    unsigned group, groups; /* of its parent */
    template <class P> operator thread_block_tile<Size, P>() const { return {{{this->mask}}, group, groups}; }
    unsigned meta_group_rank() const { return group; }
    unsigned meta_group_size() const { return groups; }
};

static inline thread_block this_thread_block() { return {}; }
static inline grid_group this_grid() { return {}; }
static inline coalesced_group coalesced_threads(CUDA_ON_CPU_HERE) { return {{{__activemask(file, line)}}}; }
static inline unsigned tile_mask(unsigned size) /* the tile that this lane is in; no lanes that do not exist */
{
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z, first = rank_in_block() / 32 * 32;
    const unsigned there = threads - first < 32 ? (1u << (threads - first)) - 1 : ~0u;
    return there & (size == 32 ? ~0u : ((1u << size) - 1) << cuda_on_cpu_lane() / size * size);
}
template <unsigned Size, class Group> static inline thread_block_tile<Size, Group> tiled_partition(const Group &g)
{
    return {{{tile_mask(Size)}}, g.thread_rank() / Size, (g.size() + Size - 1) / Size};
}
template <class Group> static inline warp_group tiled_partition(const Group &, unsigned size)
{
    return {{tile_mask(size)}};
}
template <class Group, class Label>
static inline coalesced_group labeled_partition(const Group &g, Label label, CUDA_ON_CPU_HERE)
{
    return {{{__match_any_sync(g.mask, label, file, line)}}};
}
template <class Group> static inline coalesced_group binary_partition(const Group &g, bool side, CUDA_ON_CPU_HERE)
{
    return labeled_partition(g, (int)side, file, line);
}
template <class Group> static inline void sync(const Group &g, CUDA_ON_CPU_HERE) { g.sync(file, line); }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };    /* the smaller of two */
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } }; /* the larger */
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

template <class Group, class T, class F> static inline T reduce(const Group &g, T x, F f, CUDA_ON_CPU_HERE)
{
    return cuda_on_cpu_reduce(g.mask, x, f, 7, file, line);
}
template <class Group, class T, class F = plus<T>>
static inline T inclusive_scan(const Group &g, T x, F f = F(), CUDA_ON_CPU_HERE)
{
    for (unsigned by = 1; by < g.size(); by *= 2) {
        const T other = g.shfl_up(x, by, file, line);
        if (g.thread_rank() >= by) x = f(other, x);
    }
    return x;
}
template <class Group, class T> static inline T exclusive_scan(const Group &g, T x, CUDA_ON_CPU_HERE)
{
    return inclusive_scan(g, x, plus<T>(), file, line) - x;
}

} // namespace cooperative_groups

#endif
