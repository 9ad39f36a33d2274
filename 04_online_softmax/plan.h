/* How flash.c divides its work: heads into tiles of queries, and where those are too few, keys into parts. */
#ifndef PLAN_H
#define PLAN_H

#include "common.h"

enum { GROUP = 16 };                        /* a tile has whole groups of so many lanes */
enum { BR = 3 * GROUP, BC = 128 };          /* the tile, where the caller leaves it to us */
enum { ACCOUNTS = 192, LEAST_PART = 2048 }; /* keys are split up to so many accounts, not below so many keys */

typedef struct {
    size_t heads, rows;             /* batch * heads of n rows or, with few queries, batch * kv_heads of more */
    size_t br, bc, tiles, blocks;   /* tiles of rows and blocks of keys in a head */
    size_t parts, keys;             /* the keys are split into parts of so many keys */
    size_t pieces, threads;         /* pieces = heads * tiles * parts */
} plan;
typedef struct {                    /* of the work: a tile of a head against a part of the keys */
    head h;
    size_t i, rows;                 /* rows i .. i + rows - 1 */
    size_t part, j, end;            /* keys j .. end - 1 */
    size_t all, any;                /* all rows see the first so many keys of the head, none sees more than any */
} piece;

/* Everything but threads follows from the sizes alone: hence equal bits for any number of threads. */
static inline plan choose(const flash_problem *p)
{
    const bool stacked = p->n < BR && !p->trace; /* then heads that share keys meet them together */
    plan P = {0};
    P.heads = p->batch * (stacked ? p->kv_heads : p->heads);
    P.rows = p->batch * p->heads * p->n / P.heads;
    P.br = up(least(p->br ? p->br : BR, P.rows), GROUP);
    P.bc = least(least(p->bc ? p->bc : BC, p->m), INT32_MAX);
    P.tiles = up(P.rows, P.br) / P.br;
    P.blocks = up(p->m, P.bc) / P.bc;
    P.parts = p->trace ? 1 : most(1, least(ACCOUNTS / (P.heads * P.rows), p->m / LEAST_PART));
    P.keys = up(up(p->m, P.parts) / P.parts, P.bc);
    P.pieces = P.heads * P.tiles * P.parts;
    P.threads = least(p->threads ? p->threads : (size_t)omp_get_max_threads(), 256);
    P.threads = p->trace ? 1 : least(P.threads, P.pieces);
    return P;
}

/* piece number x; the tiles that see most keys come first, so that the last to be done are short */
static inline piece find_piece(const flash_problem *p, const plan *P, size_t x, const float *Q, const float *K,
                               const float *V)
{
    const size_t part = x % P->parts, t = x / P->parts % P->tiles, index = x / P->parts / P->tiles;
    const size_t kv = index / (P->heads / (p->batch * p->kv_heads)); /* batch * kv_heads + key/value head */
    const size_t i = (p->trace ? t : P->tiles - 1 - t) * P->br, rows = least(P->br, P->rows - i);
    const size_t first = i % p->n, last = first + rows - 1, j = least(part * P->keys, p->m);
    const bool several = last >= p->n; /* heads in this tile */
    return (piece){.h = {p, index, Q + index * P->rows * p->d, K + kv * p->m * p->d, V + kv * p->m * p->dv},
                   .i = i, .rows = rows, .part = part, .j = j, .end = least(j + P->keys, p->m),
                   .all = visible(p, several ? 0 : first), .any = visible(p, several ? p->n - 1 : last)};
}
#endif
