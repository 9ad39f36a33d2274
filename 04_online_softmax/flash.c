/* Version 4 in two levels of tiles: FlashAttention on a CPU, after FlashAttention-2's Algorithm 1 (arXiv 2307.08691).
 *
 *     for every tile Q_i of br queries
 *         for every block K_j, V_j of bc keys       O_i stays, K_j and V_j pass by
 *             S_ij = scale Q_i K_j^T                the only scores that exist
 *             P_ij = exp(S_ij - max)                max, sum, rescale: version 4's account of every row
 *             O_i  = rescale O_i + P_ij V_j
 *         O_i = O_i / sum
 *
 * A tile is stored transposed, one query per SIMD lane: Q^T [d][lanes], S^T [bc][lanes], O^T [dv][lanes]. So maximum,
 * sum and rescale work on whole vectors, and both products are one loop: a number of K, or of V, times a row of lanes.
 *
 * Build: cc -O3 -march=native -ffp-contract=fast -fopenmp. Storage: a tile per thread, 75 KB at d = dv = 64, whatever
 * n and m are. The price: the division comes last, so a sum of weight * |value| above 3.4e38 is lost. */
#include "plan.h"
#include "product.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 5, STRETCH = 8192 }; /* up to so many rows go to decode.c; accounts of so many keys are merged */

typedef struct {
    size_t lanes;                   /* rows of the tile, rounded up to whole GROUPs */
    float *Q, *S, *O;               /* [d][lanes], [bc][lanes], [dv][lanes], the last two up to whole ROWS */
    float *max, *sum, *rescale;     /* [lanes] */
    float *account, *more;          /* [br][dv + 2] */
} tile;

/* S [keys][lanes] becomes P = exp(S - max), for W lanes; their maximum and sum are brought up to date */
static void soften(size_t keys, size_t lanes, float *S, float *max, float *sum, float *rescale)
{
    const vec old = *(vec *)max;
    vec top = old, total = {0};
    for (size_t k = 0; k < keys; k++) top = larger(*(vec *)(S + k * lanes), top);
    const vec base = bases_of(top), factor = exp_of(old - base); /* moves the account to the new maximum */
    for (size_t k = 0; k < keys; k++) {
        vec *s = (vec *)(S + k * lanes);
        *s = exp_of(*s - base);
        total += *s;
    }
    *(vec *)max = top;
    *(vec *)sum = *(vec *)sum * factor + total;
    *(vec *)rescale = factor;
}

/* O = rescale O + V P where a hidden key has a value that is not finite: even 0 * NaN is NaN, so what a row does not
 * see is left out of its sum. Slow, and rarely needed. */
static void add_seen_values(const piece *x, tile *T, size_t j, size_t end)
{
    const size_t L = T->lanes, dv = x->h.p->dv;
    for (size_t q = 0; q < x->rows; q++)
        for (size_t c = 0; c < dv; c++) {
            float sum = 0;
            for (size_t k = seen(&x->h, x->i + q, j, end); k-- > 0;) sum += T->S[k * L + q] * x->h.V[(j + k) * dv + c];
            T->O[c * L + q] = T->O[c * L + q] * T->rescale[q] + sum;
        }
}

/* the tile meets keys j .. end - 1; what a row does not see has weight 0 */
static void meet(const piece *x, tile *T, size_t j, size_t end)
{
    const flash_problem *p = x->h.p;
    const size_t keys = end - j, L = T->lanes, all = x->all < j ? j : least(x->all, end); /* rows see keys below it */
    const matrix K = {x->h.K + j * p->d, p->d, 1}, V = {x->h.V + j * p->dv, 1, p->dv};    /* V transposed */
    product(keys, p->d, K, L, T->Q, T->S, p->scale, NULL);
    for (size_t q = 0; all < end && q < x->rows; q++)
        for (size_t k = seen(&x->h, x->i + q, j, end); k < keys; k++) T->S[k * L + q] = -INFINITY;
    for (size_t s = 0; s < L; s += W) soften(keys, L, T->S + s, T->max + s, T->sum + s, T->rescale + s);
    if (all_finite(x->h.V + all * p->dv, (end - all) * p->dv)) product(p->dv, keys, V, L, T->S, T->O, 1, T->rescale);
    else add_seen_values(x, T, j, end);
}

/* tells the trace what the tile holds after keys j .. j + bc - 1, or that none of its queries may see them */
static void tell(const plan *P, const piece *x, tile *T, size_t j, bool skipped)
{
    const flash_problem *p = x->h.p;
    for (size_t q = 0; skipped && q < T->lanes; q++) T->rescale[q] = 1;
    const flash_step now = {
        .step = (x->h.index * P->tiles + x->i / P->br) * P->blocks + j / P->bc, .head = x->h.index,
        .i0 = x->i, .i1 = x->i + x->rows, .j0 = j, .j1 = least(j + P->bc, x->end), .skipped = skipped,
        .maximum = T->max, .sum = T->sum, .rescale = T->rescale, .first = T->O};
    p->trace(p->context, &now);
}

/* The accounts of the piece's rows over keys j .. end - 1. Keys that none of them sees are not even looked at; only a
 * trace hears of them. */
static void attend(const plan *P, const piece *x, tile *T, size_t j, size_t end, float *account)
{
    const flash_problem *p = x->h.p;
    const size_t L = T->lanes, stop = least(end, x->any);
    transpose(x->rows, p->d, x->h.Q + x->i * p->d, p->d, T->Q, L);
    for (size_t c = 0; c < p->d; c++)
        for (size_t q = x->rows; q < L; q++) T->Q[c * L + q] = 0;
    memset(T->O, 0, p->dv * L * sizeof *T->O);
    for (size_t q = 0; q < L; q++) T->max[q] = -INFINITY, T->sum[q] = 0;

    for (; j < stop; j += P->bc) {
        meet(x, T, j, least(j + P->bc, stop));
        if (p->trace) tell(P, x, T, j, false);
    }
    if (p->trace)
        for (; j < end; j += P->bc) tell(P, x, T, j, true);

    transpose(p->dv, x->rows, T->O, L, account + VALUES, p->dv + 2);
    for (size_t q = 0; q < x->rows; q++) {
        account[q * (p->dv + 2) + MAXIMUM] = T->max[q];
        account[q * (p->dv + 2) + SUM] = T->sum[q];
    }
}

/* A tile's arrays lie one after the other, each so many rows of br floats. Gives T their places, unless room is NULL,
 * and returns how many rows they are. */
static size_t lay_out(const flash_problem *p, const plan *P, float *room, tile *T)
{
    const struct { float **array; size_t rows; } arrays[] = {
        {&T->Q, p->d}, {&T->S, up(P->bc, ROWS)}, {&T->O, up(p->dv, ROWS)}, {&T->max, 1}, {&T->sum, 1},
        {&T->rescale, 1}, {&T->account, p->dv + 2}, {&T->more, p->dv + 2}};
    size_t rows = 0;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        if (room) *arrays[a].array = room + rows * P->br;
        rows += arrays[a].rows;
    }
    return rows;
}

/* With one part the rows of the piece are finished here; else their accounts go to accounts [rows][parts][dv + 2], to
 * be merged. Sums of many thousand terms lose digits: so keys are added up in stretches, which then are merged. */
static void do_piece(const plan *P, const piece *x, float *room, float *accounts, float *O, float *lse)
{
    const flash_problem *p = x->h.p;
    const size_t w = p->dv + 2, stretch = p->trace ? p->m : up(STRETCH, P->bc);
    tile T = {.lanes = up(x->rows, GROUP)};
    lay_out(p, P, room, &T);
    for (size_t j = x->j; j == x->j || j < least(x->end, x->any); j += stretch) {
        float *account = j == x->j ? T.account : T.more;
        const size_t end = least(x->end, j + stretch);
        if (x->rows <= FEW && !p->br && !p->trace) attend_few(&x->h, x->i, x->rows, j, end, account);
        else attend(P, x, &T, j, end, account);
        for (size_t q = 0; j > x->j && q < x->rows; q++) merge(p->dv, T.account + q * w, T.more + q * w);
    }
    for (size_t q = 0; q < x->rows; q++) {
        const size_t row = x->h.index * P->rows + x->i + q;
        if (accounts) memcpy(accounts + (row * P->parts + x->part) * w, T.account + q * w, w * sizeof *accounts);
        else settle(p, row % p->n, T.account + q * w, O + row * p->dv, lse ? lse + row : NULL);
    }
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
    const size_t room = times(P.br, lay_out(p, &P, NULL, &(tile){0})); /* floats of a tile */
    const size_t bytes = times(times(room, P.threads), sizeof *O);
    const size_t kept = P.parts > 1 ? times(rows * P.parts, times(p->dv + 2, sizeof *O)) : 0;
    if (bytes > PTRDIFF_MAX - 64 || kept > PTRDIFF_MAX) return EOVERFLOW;
    void *memory = malloc(bytes + 64);
    float *tiles = (float *)up((uintptr_t)memory, 64); /* for whole vectors */
    float *accounts = kept ? malloc(kept) : NULL;
    const bool ready = memory && (accounts || !kept);
    if (ready) {
        PARALLEL(P.threads) for (size_t x = 0; x < P.pieces; x++) {
            const piece next = find_piece(p, &P, x, Q, K, V);
            do_piece(&P, &next, tiles + room * (size_t)omp_get_thread_num(), accounts, O, lse);
        }
        if (accounts) settle_parts(p, P.parts, accounts, O, lse);
    }
    free(memory);
    free(accounts);
    return ready ? 0 : ENOMEM;
}
