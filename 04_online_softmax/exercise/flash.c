/* Exercise 4-flash: version 4 in two levels of tiles (Dao 2023, arXiv 2307.08691, Algorithm 1).
 *
 *     for every tile Q_i of br queries
 *         for every block K_j, V_j of bc keys       O_i stays, K_j and V_j pass by
 *             one block enters the account          your lines: meet and soften, about 20
 *         O_i = O_i / sum
 *
 * A tile is stored transposed, one query per SIMD lane: Q^T [d][lanes], S^T [bc][lanes], O^T [dv][lanes]. So maximum,
 * sum and rescale work on whole vectors, and both products are one loop: a number of K, or of V, times a row of lanes.
 *
 * To grade it: make exercise-4-flash. Help: hints-flash.md beside this file. */
#include "common.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 16, FEW = 6 };               /* soften takes so many queries at once; below FEW each goes alone */
enum { BR = 3 * GROUP, BC = 128 };          /* the tile, where the caller leaves it to us */
enum { ACCOUNTS = 192, LEAST_PART = 2048 }; /* keys are split up to so many accounts, not below so many keys */

typedef float vec __attribute__((vector_size(4 * W), may_alias));
typedef int mask __attribute__((vector_size(4 * W), may_alias));
typedef struct { const float *at; size_t row, column; } matrix; /* A[r][k] = at[r * row + k * column] */
typedef struct {
    size_t lanes;                   /* queries of the tile, rounded up to whole GROUPs */
    float *Q, *S, *O;               /* [d][lanes], [bc][lanes], [dv][lanes], the last two up to whole ROWS */
    float *max, *sum, *rescale;     /* [lanes] */
    int *sees;                      /* [lanes]: at the diagonal, a lane sees so many keys of the block */
    float *account;                 /* [br][dv + 2] */
} tile;
typedef struct {
    size_t br, bc, tiles, blocks;   /* tiles of queries and blocks of keys in a head */
    size_t parts, keys;             /* the keys are split into parts of so many keys */
    size_t pieces, threads, room;   /* pieces = batch * heads * tiles * parts; room: floats of a tile */
} plan;

#define LANES SIMD for (int q = 0; q < GROUP; q++)
INLINE vec pick(mask m, vec yes, vec no) { return (vec)((m & (mask)yes) | (~m & (mask)no)); }

/* The micro-kernel: ROWS x width vectors, from row r on, of C [..][lanes] = scale A B, or = rescale C + A B with
 * rescale [lanes]; B [depth][lanes]. Where A has no more rows the last is used again: C has room, nobody reads it.
 * Lane q adds up its first sees[q] terms (NULL: all). The others are selected away, for even 0 * NaN is NaN. */
INLINE void multiply(int width, size_t r, size_t rows, size_t depth, matrix A, size_t lanes, const float *B, float *C,
                     float scale, const float *rescale, const int *sees)
{
    vec sum[ROWS][WIDE];
    const float *a[ROWS];
    UNROLL for (int i = 0; i < ROWS; i++) {
        a[i] = A.at + least(r + i, rows - 1) * A.row;
        UNROLL for (int v = 0; v < width; v++) sum[i][v] = (vec){0};
    }
    ROLLED for (size_t k = 0; k < depth; k++) {
        const vec *b = (const vec *)(B + k * lanes);
        UNROLL for (int i = 0; i < ROWS; i++)
            UNROLL for (int v = 0; v < width; v++) {
                const vec next = sum[i][v] + a[i][k * A.column] * b[v];
                sum[i][v] = sees ? pick((int)k < ((const mask *)sees)[v], next, sum[i][v]) : next;
            }
    }
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int v = 0; v < width; v++) {
            vec *c = (vec *)(C + (r + i) * lanes) + v;
            *c = rescale ? *c * ((const vec *)rescale)[v] + sum[i][v] : sum[i][v] * scale;
        }
}

/* all rows of C, WIDE vectors at a time and what is left one at a time */
INLINE void product(size_t rows, size_t depth, matrix A, size_t lanes, const float *B, float *C, float scale,
                    const float *rescale, const int *sees)
{
    for (size_t s = 0, wide; s < lanes; s += wide ? WIDE * W : W) {
        const float *factor = rescale ? rescale + s : NULL;
        const int *limit = sees ? sees + s : NULL;
        wide = s + WIDE * W <= lanes;
        for (size_t r = 0; r < rows; r += ROWS)
            if (wide) multiply(WIDE, r, rows, depth, A, lanes, B + s, C + s, scale, factor, limit);
            else multiply(1, r, rows, depth, A, lanes, B + s, C + s, scale, factor, limit);
    }
}

/* S [keys][lanes] becomes P = exp(S - max), for GROUP queries; their maximum and sum are brought up to date */
static void soften(size_t keys, size_t lanes, float *restrict S, float *restrict max, float *restrict sum,
                   float *restrict rescale)
{
    /* Your lines, about 8: the account of GROUP queries takes in the block. LANES is the loop over them, q their number;
     * base_of and exp_negative are in common.h. rescale[q] is what sum and output are multiplied by; the output is
     * rescaled elsewhere. Take the next line out. */
    (void)keys, (void)lanes, (void)S, (void)max, (void)sum, (void)rescale;
    /* End of your lines */
}

/* the tile of queries from i on meets keys j .. j + keys - 1, some of which only some may see if cut */
static void meet(const head *h, tile *T, size_t i, size_t j, size_t keys, bool cut)
{
    const size_t d = h->p->d, dv = h->p->dv, L = T->lanes;
    const matrix K = {h->K + j * d, d, 1}, V = {h->V + j * dv, 1, dv}; /* V transposed */
    /* Your lines, about 10: S = scale K Q^T (product), the mask if the block is cut, soften for every GROUP of queries,
     * and O = rescale O + V P (product). T->sees[q] says how many keys of the block lane q sees, 0 to keys; product
     * then takes only those. Take the next line out. */
    (void)i, (void)keys, (void)cut, (void)dv, (void)K, (void)V, (void)L, (void)soften, (void)product;
    /* End of your lines */
}

/* The accounts of queries i .. i + rows - 1 over keys j .. end - 1, into T->account. All of them see the keys below
 * all, none sees those from some on: such blocks are skipped, and only a trace hears of them. */
static void attend(const head *h, const plan *P, tile *T, size_t i, size_t rows, size_t j, size_t end)
{
    const flash_problem *p = h->p;
    const size_t d = p->d, dv = p->dv, L = T->lanes, all = visible(p, i), some = least(end, visible(p, i + rows - 1));
    for (size_t q = 0; q < L; q++)
        for (size_t c = 0; c < d; c++) T->Q[c * L + q] = q < rows ? h->Q[(i + q) * d + c] : 0;
    memset(T->O, 0, dv * L * sizeof *T->O);
    for (size_t q = 0; q < L; q++) T->max[q] = -INFINITY, T->sum[q] = 0;

    for (; j < (p->trace ? end : some); j += P->bc) {
        const size_t stop = least(j + P->bc, some), step = (h->index * P->tiles + i / P->br) * P->blocks + j / P->bc;
        for (size_t q = 0; q < L; q++) T->rescale[q] = 1;
        if (j < some) meet(h, T, i, j, stop - j, all < stop);
        const flash_step now = {step, h->index, i, i + rows, j, least(j + P->bc, end), j >= some, T->max, T->sum,
                                T->rescale, T->O};
        if (p->trace) p->trace(p->context, &now);
    }
    for (size_t q = 0; q < rows; q++) {
        float *account = T->account + q * (dv + 2);
        account[MAXIMUM] = T->max[q], account[SUM] = T->sum[q];
        for (size_t c = 0; c < dv; c++) account[VALUES + c] = T->O[c * L + q];
    }
}

/* One piece of the work: a tile of a head against a part of the keys. With one part its rows are finished here; else
 * their accounts go to accounts [rows][parts][dv + 2], to be merged. */
static void do_piece(const flash_problem *p, const plan *P, size_t piece, float *room, const float *Q, const float *K,
                     const float *V, float *accounts, float *O, float *lse)
{
    const size_t part = piece % P->parts, t = piece / P->parts % P->tiles, x = piece / P->parts / P->tiles;
    const size_t kv = x / p->heads * p->kv_heads + x % p->heads / (p->heads / p->kv_heads), w = p->dv + 2;
    const size_t i = (p->trace ? t : P->tiles - 1 - t) * P->br, rows = least(P->br, p->n - i); /* longest first */
    const size_t j = least(part * P->keys, p->m), end = least(j + P->keys, p->m);
    const head h = {p, x, Q + x * p->n * p->d, K + kv * p->m * p->d, V + kv * p->m * p->dv};
    tile T = {.lanes = up(rows, GROUP), .Q = room, .S = room + P->br * p->d};
    T.O = T.S + P->br * up(P->bc, ROWS), T.max = T.O + P->br * up(p->dv, ROWS), T.sum = T.max + P->br;
    T.rescale = T.sum + P->br, T.sees = (int *)(T.rescale + P->br), T.account = T.rescale + 2 * P->br;

    if (rows < FEW && !p->br && !p->trace) attend_few(&h, i, rows, j, end, T.account);
    else attend(&h, P, &T, i, rows, j, end);
    for (size_t q = 0; q < rows; q++) {
        const size_t row = x * p->n + i + q;
        if (accounts) memcpy(accounts + (row * P->parts + part) * w, T.account + q * w, w * sizeof *accounts);
        else settle(p, i + q, T.account + q * w, O + row * p->dv, lse ? lse + row : NULL);
    }
}

/* Everything but threads follows from the sizes alone: hence equal bits for any number of threads. */
static plan choose(const flash_problem *p)
{
    const size_t heads = p->batch * p->heads;
    plan P = {.br = up(least(p->br ? p->br : BR, p->n), GROUP), .bc = least(p->bc ? p->bc : BC, p->m)};
    P.bc = least(P.bc, INT32_MAX), P.tiles = up(p->n, P.br) / P.br, P.blocks = up(p->m, P.bc) / P.bc;
    P.parts = p->trace ? 1 : most(1, least(ACCOUNTS / (heads * p->n), p->m / LEAST_PART));
    P.keys = up(up(p->m, P.parts) / P.parts, P.bc);
    P.pieces = heads * P.tiles * P.parts;
    P.threads = least(P.pieces, p->trace ? 1 : p->threads ? least(p->threads, 256) : (size_t)omp_get_max_threads());
    P.room = times(P.br, p->d + up(P.bc, ROWS) + up(p->dv, ROWS) + 4 + p->dv + 2); /* as do_piece divides it */
    return P;
}

int attention_flash(const flash_problem *p, const float *Q, const float *K, const float *V, float *O, float *lse)
{
    if (!p) return EINVAL;
    if (!p->batch || !p->heads || !p->n || !p->dv) return 0;
    if (!p->d || !p->kv_heads || p->heads % p->kv_heads || !Q || !O || (p->m && (!K || !V))) return EINVAL;
    const size_t rows = times(times(p->batch, p->heads), p->n), keys = times(times(p->batch, p->kv_heads), p->m);
    if (times(times(most(rows, keys), most(p->d, p->dv)), sizeof *O) > PTRDIFF_MAX) return EOVERFLOW;
    for (size_t row = 0; !p->m && row < rows; row++) settle(p, 0, NULL, O + row * p->dv, lse ? lse + row : NULL);
    if (!p->m) return 0;

    const plan P = choose(p);
    const size_t bytes = times(times(P.room, P.threads), sizeof *O);
    const size_t kept = P.parts > 1 ? times(rows * P.parts, times(p->dv + 2, sizeof *O)) : 0;
    if (bytes > PTRDIFF_MAX || kept > PTRDIFF_MAX) return EOVERFLOW;
    float *room = aligned_alloc(64, up(bytes, 64)), *accounts = kept ? malloc(kept) : NULL;
    if (!room || (kept && !accounts)) return free(room), free(accounts), ENOMEM;

    PARALLEL(P.threads) for (size_t piece = 0; piece < P.pieces; piece++)
        do_piece(p, &P, piece, room + P.room * (size_t)omp_get_thread_num(), Q, K, V, accounts, O, lse);

    if (accounts) settle_parts(p, P.parts, accounts, O, lse);
    return free(room), free(accounts), 0;
}
