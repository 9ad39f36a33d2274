/* Warp operations, by the rules of compute capability 7.0 and later. Each lane brings a Post and lets the others have
 * their turns. An operation is done when the lanes of its mask that have not ended are all there: at the same operation
 * with the same mask, wherever in the source. A lane that is elsewhere may still come; if it never does, launching.cpp
 * says who waits where. Shuffles and votes order no accesses to memory; __syncwarp does. */
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "machine.h"
#include "warp_matrix.h"
#include <stdio.h>
#include <string.h>

int cuda_on_cpu_lane() { return core->me->thread % Warp; }

/* does the work for all, if nobody is missing */
static bool finish(Fiber *warp, Lanes &lanes, int number)
{
    const Meeting m = lanes.meeting[number];
    if (m.arrived != (m.mask & ~lanes.ended)) return false;
    lanes.meeting[number] = lanes.meeting[--lanes.meetings];
    core->idle = 0;
    Post *posts[Warp];
    for (int l = 0; l < Warp; l++) {
        posts[l] = m.arrived >> l & 1 ? warp[l].post : NULL;
        if (posts[l]) warp[l].state = Ready;
    }
    if (m.operation) m.operation(posts, m.size);
    else if (core->checked) order_lanes(warp, m.arrived);
    return true;
}

static void warp_operation(unsigned mask, Operation *operation, Post post, size_t size, const char *file, int line)
{
    Fiber *me = core->me, *warp = me - me->thread % Warp;
    Lanes &lanes = core->warp[me->thread / Warp];
    const unsigned mine = 1u << me->thread % Warp;
    me->state = At_warp, me->file = file, me->line = line, me->mask = mask, me->post = &post;
    int n = 0;
    while (n < lanes.meetings && !(lanes.meeting[n].mask == mask && lanes.meeting[n].operation == operation &&
                                   lanes.meeting[n].size == size)) n++;
    if (n == lanes.meetings) lanes.meeting[lanes.meetings++] = {mask, 0, operation, size};
    lanes.meeting[n].arrived |= mine; /* a lane outside of its own mask waits for ever */
    if (!finish(warp, lanes, n)) switch_to(next_ready()); /* back when the last has come */
}

void end_lane(Fiber *fiber)
{
    Lanes &lanes = core->warp[fiber->thread / Warp];
    lanes.ended |= 1u << fiber->thread % Warp;
    for (int n = lanes.meetings; n-- > 0;) finish(fiber - fiber->thread % Warp, lanes, n);
}

/* a value that nobody is there to give; CUDA: undefined */
static void nobody(const Post *post, const char *what, int lane)
{
    char place[256];
    snprintf(place, sizeof place, "%s:%d", post->fiber->file, post->fiber->line);
    report(place, "undefined warp operation", post->fiber, "%s lane %d, which %s", what, lane,
           post->fiber->mask >> lane & 1 ? "has ended or does not exist" : "is not in the mask");
}

void __syncwarp(unsigned mask, const char *file, int line) { warp_operation(mask, NULL, {}, 0, file, line); }

/* the lane that lane l asks; the formulas are those of shfl in the PTX manual */
static int asked(cuda_on_cpu_shuffle_mode mode, int l, int b, int width)
{
    const int first = l & ~(width - 1), last = first + width - 1;
    b &= Warp - 1;
    const int from = mode == CUDA_SHFL_UP ? l - b : mode == CUDA_SHFL_DOWN ? l + b :
                     mode == CUDA_SHFL_XOR ? l ^ b : first | (b & (width - 1));
    return (mode == CUDA_SHFL_UP ? from >= first : from <= last) ? from : l;
}
template <cuda_on_cpu_shuffle_mode mode> static void shuffle(Post *const posts[Warp], size_t size)
{
    for (int l = 0; l < Warp; l++)
        if (posts[l]) {
            const int from = asked(mode, l, posts[l]->argument, posts[l]->width);
            if (posts[from]) memcpy(posts[l]->out, posts[from]->in, size);
            else memset(posts[l]->out, 0xff, size), nobody(posts[l], "asks for the value of", from);
        }
}
void cuda_on_cpu_shuffle(unsigned mask, const void *in, void *out, size_t size, cuda_on_cpu_shuffle_mode mode, int b,
                         int width, const char *file, int line)
{
    static Operation *const operation[] = {shuffle<CUDA_SHFL_IDX>, shuffle<CUDA_SHFL_UP>, shuffle<CUDA_SHFL_DOWN>,
                                           shuffle<CUDA_SHFL_XOR>};
    warp_operation(mask, operation[mode], {core->me, in, NULL, out, b, width}, size, file, line);
}

static void ballot(Post *const posts[Warp], size_t)
{
    unsigned votes = 0;
    for (int l = 0; l < Warp; l++)
        if (posts[l] && posts[l]->argument) votes |= 1u << l;
    for (int l = 0; l < Warp; l++)
        if (posts[l]) memcpy(posts[l]->out, &votes, sizeof votes);
}
unsigned __ballot_sync(unsigned mask, int predicate, const char *file, int line)
{
    unsigned votes = 0;
    warp_operation(mask, ballot, {core->me, NULL, NULL, &votes, predicate != 0, 0}, 0, file, line);
    return votes;
}

static void gather(Post *const posts[Warp], size_t kind)
{
    const size_t size = kind & 0xffff;
    for (int l = 0; l < Warp; l++)
        for (int from = 0; posts[l] && from < Warp; from++)
            if (posts[from]) {
                memcpy((char *)posts[l]->out + from * size, posts[from]->in, size);
                *(unsigned *)posts[l]->in2 |= 1u << from;
            }
}
unsigned cuda_on_cpu_gather(unsigned mask, const void *in, void *all, size_t size, int kind, const char *file, int line)
{
    unsigned there = 0;
    warp_operation(mask, gather, {core->me, in, &there, all, 0, 0}, size | (size_t)kind << 16, file, line);
    return there;
}

unsigned __activemask(const char *file, int line)
{
    Fiber *me = core->me;
    me->state = At_mask, me->file = file, me->line = line;
    switch_to(next_ready());
    return me->mask;
}
/* those of a warp that wait at the same place are each other's answer */
bool answer_masks()
{
    bool any = false;
    for (unsigned t = 0; t < core->threads; t++) {
        Fiber *first = &core->fiber[t], *warp = first - t % Warp, *end = core->fiber + core->threads;
        if (first->state != At_mask) continue;
        unsigned mask = 0;
        for (int l = 0; l < Warp && warp + l < end; l++)
            if (warp[l].state == At_mask && warp[l].line == first->line && !strcmp(warp[l].file, first->file))
                mask |= 1u << l;
        for (int l = 0; l < Warp; l++)
            if (mask >> l & 1) warp[l].state = Ready, warp[l].mask = mask;
        any = true;
    }
    return any;
}

/* whether all 32 lanes are there, which these need */
static bool whole(Post *const posts[Warp], const char *what)
{
    const Post *first = NULL;
    int missing = -1;
    for (int l = Warp; l-- > 0;)
        if (posts[l]) first = posts[l];
        else missing = l;
    if (missing >= 0) nobody(first, what, missing);
    return missing < 0;
}

/* C[16][8] += A[16][16] B[16][8]. Lane l = 4 g + t holds, in this order,
 *     of A  rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t + 8, two neighbours each
 *     of B  rows 2t and 2t + 8 of column g, two neighbours each
 *     of C  rows g and g + 8 at column 2t, two neighbours each */
template <class T> static void multiply(Post *const posts[Warp], size_t)
{
    if (!whole(posts, "is done without")) return;
    float A[16][16], B[16][8], C[16][8];
    for (int l = 0; l < Warp; l++) {
        const int g = l / 4, t = l % 4;
        const T *a = (const T *)posts[l]->in, *b = (const T *)posts[l]->in2;
        const float *c = (const float *)posts[l]->out;
        for (int e = 0; e < 8; e++) A[g + e / 2 % 2 * 8][2 * t + e % 2 + e / 4 * 8] = a[e];
        for (int e = 0; e < 4; e++) B[2 * t + e % 2 + e / 2 * 8][g] = b[e];
        for (int e = 0; e < 4; e++) C[g + e / 2 * 8][2 * t + e % 2] = c[e];
    }
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 8; j++) C[i][j] += A[i][k] * B[k][j];
    for (int l = 0; l < Warp; l++)
        for (int e = 0; e < 4; e++) ((float *)posts[l]->out)[e] = C[l / 4 + e / 2 * 8][2 * (l % 4) + e % 2];
}
template <class T> void mma(float c[4], const unsigned a[4], const unsigned b[2], const char *file, int line)
{
    warp_operation(~0u, multiply<T>, {core->me, a, b, c, 0, 0}, 0, file, line);
}
template void mma<__half>(float *, const unsigned *, const unsigned *, const char *, int);
template void mma<__nv_bfloat16>(float *, const unsigned *, const unsigned *, const char *, int);

/* lane l = 4 g + t gets elements 2t and 2t + 1 of row g of each 8 x 8 square; lane l points at row l % 8 of square
 * l / 8. Transposed: of column g. */
static void squares(Post *const posts[Warp], size_t transposed)
{
    if (!whole(posts, "is done without")) return;
    for (int l = 0; l < Warp; l++) {
        uint16_t *out = (uint16_t *)posts[l]->out;
        for (int e = 0; e < 8; e++) {
            const int square = e / 2, along = 2 * (l % 4) + e % 2, row = transposed ? along : l / 4;
            out[e] = ((const uint16_t *)posts[8 * square + row]->in)[transposed ? l / 4 : along];
        }
    }
}
static void load_squares(unsigned r[4], const void *row, bool transposed, const void *pc, const char *file, int line)
{
    if (core->launch->hooked) access(row, 16, Read, pc);
    warp_operation(~0u, squares, {core->me, row, NULL, r, 0, 0}, transposed, file, line);
}
void ldmatrix(unsigned r[4], const void *row, const char *file, int line)
{
    load_squares(r, row, false, __builtin_return_address(0), file, line);
}
void ldmatrix_trans(unsigned r[4], const void *row, const char *file, int line)
{
    load_squares(r, row, true, __builtin_return_address(0), file, line);
}
