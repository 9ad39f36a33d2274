/* Warp operations. Each lane brings a Post and lets the others have their turns; the last lane to arrive does the work
 * for all, and all go on. */
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "machine.h"
#include "warp_matrix.h"
#include <stdio.h>
#include <string.h>

int cuda_on_cpu_lane() { return core->me->thread % Warp; }

static void wrong(const Fiber *me, const char *how, const Fiber *other)
{
    char place[128];
    snprintf(place, sizeof place, "%s:%d", me->file, me->line);
    report(place, "divergent warp operation", "%s thread %u at %s:%d", how, other->thread, other->file, other->line);
    fail(cudaErrorLaunchFailure);
}

/* whether f waits for the same thing as me; if it waits for another, that is the end */
static bool joins(const Fiber *f, const Fiber *me)
{
    if (f->state != At_warp) return false;
    if (f->operation != me->operation || !same_place(f, me)) wrong(me, "another one than", f);
    if (f->mask != me->mask) wrong(me, "with another mask than", f);
    return true;
}

static void warp_operation(unsigned mask, Operation *operation, Post post, size_t size, const char *file, int line)
{
    Fiber *me = core->me, *warp = me - me->thread % Warp;
    const unsigned first = me->thread / Warp * Warp;
    const unsigned lanes = core->threads - first < Warp ? core->threads - first : (unsigned)Warp;
    me->state = At_warp, me->file = file, me->line = line;
    me->mask = mask, me->operation = operation, me->post = &post;
    if (!(mask >> me->thread % Warp & 1)) wrong(me, "outside of its own mask:", me);

    for (unsigned l = lanes; l-- > 0;) /* downwards: mostly the highest lane is the last to come */
        if (mask >> l & 1 && !joins(&warp[l], me)) return switch_to(next_ready()); /* back when the last has come */
    Post *posts[Warp];
    for (unsigned l = 0; l < Warp; l++) posts[l] = l < lanes && mask >> l & 1 ? warp[l].post : NULL;
    if (operation) operation(posts, size);
    for (unsigned l = 0; l < lanes; l++)
        if (posts[l]) warp[l].state = Ready, warp[l].warp_epoch++;
}

void __syncwarp(unsigned mask, const char *file, int line) { warp_operation(mask, NULL, {}, 0, file, line); }

static void shuffle(Post *const posts[Warp], size_t size)
{
    for (int l = 0; l < Warp; l++)
        if (posts[l]) {
            const Post *from = posts[posts[l]->argument % Warp];
            if (from) memcpy(posts[l]->out, from->in, size);
            else memset(posts[l]->out, 0xff, size); /* undefined: the source takes no part */
        }
}
void cuda_on_cpu_shuffle(unsigned mask, const void *in, void *out, size_t size, int from, const char *file, int line)
{
    warp_operation(mask, shuffle, {in, NULL, out, from}, size, file, line);
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
    warp_operation(mask, ballot, {NULL, NULL, &votes, predicate != 0}, 0, file, line);
    return votes;
}

/* C[16][8] += A[16][16] B[16][8]. Lane l = 4 g + t holds, in this order,
 *     of A  rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t + 8, two neighbours each
 *     of B  rows 2t and 2t + 8 of column g, two neighbours each
 *     of C  rows g and g + 8 at column 2t, two neighbours each */
template <class T> static void multiply(Post *const posts[Warp], size_t)
{
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
    warp_operation(~0u, multiply<T>, {a, b, c, 0}, 0, file, line);
}
template void mma<__half>(float *, const unsigned *, const unsigned *, const char *, int);
template void mma<__nv_bfloat16>(float *, const unsigned *, const unsigned *, const char *, int);

/* lane l = 4 g + t gets elements 2t and 2t + 1 of row g of each 8 x 8 square; lane l points at row l % 8 of square
 * l / 8. Transposed: of column g. */
static void squares(Post *const posts[Warp], size_t transposed)
{
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
    warp_operation(~0u, squares, {row, NULL, r, 0}, transposed, file, line);
}
void ldmatrix(unsigned r[4], const void *row, const char *file, int line)
{
    load_squares(r, row, false, __builtin_return_address(0), file, line);
}
void ldmatrix_trans(unsigned r[4], const void *row, const char *file, int line)
{
    load_squares(r, row, true, __builtin_return_address(0), file, line);
}
