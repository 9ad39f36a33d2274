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
 * Build: cc -O3 -march=native -ffp-contract=fast -fopenmp. Storage: a tile per thread, 63 KB at d = dv = 64, whatever
 * n and m are. The price: the division comes last, so a sum of weight * |value| above 3.4e38 is lost. */
#include "plan.h"
#include "product.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 6 }; /* with fewer queries than this each goes alone */

typedef struct {
    size_t lanes;                   /* queries of the tile, rounded up to whole GROUPs */
    float *Q, *S, *O;               /* [d][lanes], [bc][lanes], [dv][lanes], the last two up to whole ROWS */
    float *max, *sum, *rescale;     /* [lanes] */
    float *account;                 /* [br][dv + 2] */
} tile;
#define LANES SIMD for (int q = 0; q < GROUP; q++)

/* S [keys][lanes] becomes P = exp(S - max), for GROUP queries; their maximum and sum are brought up to date */
static void soften(size_t keys, size_t lanes, float *restrict S, float *restrict max, float *restrict sum,
                   float *restrict rescale)
{
    float top[GROUP], base[GROUP], total[GROUP] = {0};
    LANES top[q] = max[q];
    for (size_t k = 0; k < keys; k++) LANES top[q] = S[k * lanes + q] > top[q] ? S[k * lanes + q] : top[q];
    LANES base[q] = base_of(top[q]);
    LANES rescale[q] = exp_negative(max[q] - base[q]); /* moves the account to the new maximum */
    for (size_t k = 0; k < keys; k++) LANES total[q] += S[k * lanes + q] = exp_negative(S[k * lanes + q] - base[q]);
    LANES max[q] = top[q];
    LANES sum[q] = sum[q] * rescale[q] + total[q];
}

/* query i sees the first so many of keys j .. j + keys - 1 */
static size_t seen(const flash_problem *p, size_t i, size_t j, size_t keys)
{
    const size_t end = visible(p, i);
    return end < j ? 0 : least(end - j, keys);
}

/* O = rescale O + V P where a hidden key has a value that is not finite: even 0 * NaN is NaN, so what a query does
 * not see is left out of its sum. Slow, and rarely needed. */
static void add_seen_values(const head *h, tile *T, size_t i, size_t j, size_t keys)
{
    for (size_t q = 0; q < T->lanes; q++)
        for (size_t c = 0; c < h->p->dv; c++) {
            float sum = 0;
            for (size_t k = 0; k < seen(h->p, i + q, j, keys); k++)
                sum += T->S[k * T->lanes + q] * h->V[(j + k) * h->p->dv + c];
            T->O[c * T->lanes + q] = T->O[c * T->lanes + q] * T->rescale[q] + sum;
        }
}

/* the tile of queries from i on meets keys j .. j + keys - 1; what a query does not see has weight 0 */
static void meet(const head *h, tile *T, size_t i, size_t j, size_t keys)
{
    const size_t d = h->p->d, dv = h->p->dv, L = T->lanes, all = seen(h->p, i, j, keys);
    const matrix K = {h->K + j * d, d, 1}, V = {h->V + j * dv, 1, dv}; /* V transposed */
    product(keys, d, K, L, T->Q, T->S, h->p->scale, NULL);
    for (size_t q = 0; q < L; q++)
        for (size_t k = seen(h->p, i + q, j, keys); k < keys; k++) T->S[k * L + q] = -INFINITY;
    for (size_t s = 0; s < L; s += GROUP) soften(keys, L, T->S + s, T->max + s, T->sum + s, T->rescale + s);
    if (all_finite(h->V + (j + all) * dv, (keys - all) * dv)) product(dv, keys, V, L, T->S, T->O, 1, T->rescale);
    else add_seen_values(h, T, i, j, keys);
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

/* The accounts of the piece's queries over its keys, into T->account. Keys that none of them sees are not even
 * looked at; only a trace hears of them. */
static void attend(const plan *P, const piece *x, tile *T)
{
    const flash_problem *p = x->h.p;
    const size_t d = p->d, dv = p->dv, L = T->lanes, seen_by_any = least(x->end, visible(p, x->i + x->rows - 1));
    for (size_t q = 0; q < L; q++)
        for (size_t c = 0; c < d; c++) T->Q[c * L + q] = q < x->rows ? x->h.Q[(x->i + q) * d + c] : 0;
    memset(T->O, 0, dv * L * sizeof *T->O);
    for (size_t q = 0; q < L; q++) T->max[q] = -INFINITY, T->sum[q] = 0;

    size_t j = x->j;
    for (; j < seen_by_any; j += P->bc) {
        meet(&x->h, T, x->i, j, least(P->bc, seen_by_any - j));
        if (p->trace) tell(P, x, T, j, false);
    }
    if (p->trace)
        for (; j < x->end; j += P->bc) tell(P, x, T, j, true);

    for (size_t q = 0; q < x->rows; q++) {
        float *account = T->account + q * (dv + 2);
        account[MAXIMUM] = T->max[q];
        account[SUM] = T->sum[q];
        for (size_t c = 0; c < dv; c++) account[VALUES + c] = T->O[c * L + q];
    }
}

/* A tile's arrays lie one after the other, each so many rows of br floats. Gives T their places, unless room is NULL,
 * and returns how many rows they are. */
static size_t lay_out(const flash_problem *p, const plan *P, float *room, tile *T)
{
    const struct { float **array; size_t rows; } arrays[] = {
        {&T->Q, p->d}, {&T->S, up(P->bc, ROWS)}, {&T->O, up(p->dv, ROWS)},
        {&T->max, 1}, {&T->sum, 1}, {&T->rescale, 1}, {&T->account, p->dv + 2}};
    size_t rows = 0;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        if (room) *arrays[a].array = room + rows * P->br;
        rows += arrays[a].rows;
    }
    return rows;
}

/* With one part the rows of the piece are finished here; else their accounts go to accounts [rows][parts][dv + 2], to
 * be merged. */
static void do_piece(const plan *P, const piece *x, float *room, float *accounts, float *O, float *lse)
{
    const flash_problem *p = x->h.p;
    const size_t w = p->dv + 2;
    tile T = {.lanes = up(x->rows, GROUP)};
    lay_out(p, P, room, &T);
    if (x->rows < FEW && !p->br && !p->trace) attend_few(&x->h, x->i, x->rows, x->j, x->end, T.account);
    else attend(P, x, &T);
    for (size_t q = 0; q < x->rows; q++) {
        const size_t row = x->h.index * p->n + x->i + q;
        if (accounts) memcpy(accounts + (row * P->parts + x->part) * w, T.account + q * w, w * sizeof *accounts);
        else settle(p, x->i + q, T.account + q * w, O + row * p->dv, lse ? lse + row : NULL);
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
    if (bytes > PTRDIFF_MAX || kept > PTRDIFF_MAX) return EOVERFLOW;
    float *tiles = aligned_alloc(64, up(bytes, 64));
    float *accounts = kept ? malloc(kept) : NULL;
    const bool ready = tiles && (accounts || !kept);
    if (ready) {
        PARALLEL(P.threads) for (size_t x = 0; x < P.pieces; x++) {
            const piece next = find_piece(p, &P, x, Q, K, V);
            do_piece(&P, &next, tiles + room * (size_t)omp_get_thread_num(), accounts, O, lse);
        }
        if (accounts) settle_parts(p, P.parts, accounts, O, lse);
    }
    free(tiles);
    free(accounts);
    return ready ? 0 : ENOMEM;
}
