/* Version 4 in two levels of tiles: the loop of FlashAttention, in plain C, for one head.
 *
 *     for each of N tiles Q_i of Br queries               rows of them; Q_i and O_i stay
 *         for each of M blocks K_j, V_j of Bc keys        keys of them; K_j and V_j pass by
 *             S_ij = Q_i K_j^T / sqrt(d)                  scores: the only scores that exist
 *             P_ij = exp(S_ij - m_i), and m_i, l_i        online_softmax: the account, here max and sum
 *             O_i  = rescale O_i + P_ij V_j               weighted_sum
 *         O_i = O_i / l_i
 *
 * Causal: a block of which no row of the tile sees anything is skipped whole; in the blocks at the diagonal every row
 * stops at the last key that it sees, so a masked key or value is never read.
 * Storage: br (bc + 4) floats and br sizes, whatever n and m are. The price: K and V pass by once for each tile of
 * queries. It is no faster than attention.c; flash.c is.
 *
 * To run it: make stage-4, or in this folder: cc -O2 *.c -lm && ./a.out */
#include "tiled.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* S[i][j] = Q[i] . K[j] / sqrt(d), for the keys that row i sees */
static void scores(size_t n, size_t m, size_t d, const size_t sees[n],
        const float Q[n][d], const float K[m][d], float S[n][m])
{
    const float scale = (float)(1 / sqrt((double)d)); /* rounded once */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < sees[i]; j++) {
            float s = 0;
            for (size_t k = 0; k < d; k++) s += Q[i][k] * K[j][k];
            S[i][j] = s * scale;
        }
}

/* O[i] += sum over j of P[i][j] V[j], for the keys that row i sees */
static void weighted_sum(size_t n, size_t m, size_t dv, const size_t sees[n],
        const float P[n][m], const float V[m][dv], float O[n][dv])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < sees[i]; j++)
            for (size_t c = 0; c < dv; c++) O[i][c] += P[i][j] * V[j][c];
}

/* the account of every row takes in a block: its scores S become weights measured against the new maximum */
static void online_softmax(size_t n, size_t m, size_t dv, const size_t sees[n],
        float S[n][m], float max[n], float sum[n], float rescale[n], float O[n][dv])
{
    for (size_t i = 0; i < n; i++) {
        float new_max = max[i];
        for (size_t j = 0; j < sees[i]; j++) new_max = fmaxf(new_max, S[i][j]);
        const float base = new_max == -INFINITY ? 0 : new_max; /* never -inf minus -inf */
        rescale[i] = expf(max[i] - base);                      /* moves the account to the new maximum */
        sum[i] *= rescale[i];
        for (size_t c = 0; c < dv; c++) O[i][c] *= rescale[i];
        for (size_t j = 0; j < sees[i]; j++) sum[i] += S[i][j] = expf(S[i][j] - base);
        max[i] = new_max;
    }
}

/* of the keys j .. j + keys - 1 query i sees the first so many */
static size_t seen(size_t n, size_t m, bool causal, size_t i, size_t j, size_t keys)
{
    const size_t all = !causal ? m : i + m < n ? 0 : i + m - n + 1;
    return all < j ? 0 : all - j < keys ? all - j : keys;
}

int attention_tiled_traced(size_t n, size_t m, size_t d, size_t dv, size_t br, size_t bc, bool causal,
        const float Q[n][d], const float K[m][d], const float V[m][dv], float O[n][dv],
        void (*trace)(void *context, const flash_step *step), void *context)
{
    if (n == 0 || dv == 0) return 0;
    if (d == 0 || br == 0 || bc == 0 || !Q || !O || (m && (!K || !V))) return EINVAL;
    if (m == 0) return memset(O, 0, n * sizeof *O), 0;
    br = br < n ? br : n, bc = bc < m ? bc : m;
    if (br > SIZE_MAX / sizeof(float) || bc > SIZE_MAX / sizeof(float)) return EOVERFLOW;
    float (*S)[bc] = calloc(br, sizeof *S), (*row)[br] = calloc(4, sizeof *row);
    size_t *sees = calloc(br, sizeof *sees);
    if (!S || !row || !sees) return free(S), free(row), free(sees), ENOMEM;
    float *max = row[0], *sum = row[1], *rescale = row[2], *first = row[3];

    for (size_t i = 0; i < n; i += br) {
        const size_t rows = n - i < br ? n - i : br; /* the last tile may be smaller */
        memset(O + i, 0, rows * sizeof *O);
        for (size_t r = 0; r < rows; r++) max[r] = -INFINITY, sum[r] = 0;
        for (size_t j = 0; j < m; j += bc) {
            const size_t keys = m - j < bc ? m - j : bc; /* the last block may be shorter */
            float (*P)[keys] = (void *)S;
            for (size_t r = 0; r < rows; r++) sees[r] = seen(n, m, causal, i + r, j, keys), rescale[r] = 1;
            if (sees[rows - 1] > 0) { /* the last row sees most; if none: skipped */
                scores(rows, keys, d, sees, Q + i, K + j, P);
                online_softmax(rows, keys, dv, sees, P, max, sum, rescale, O + i);
                weighted_sum(rows, keys, dv, sees, P, V + j, O + i);
            }
            for (size_t r = 0; r < rows; r++) first[r] = O[i + r][0];
            const flash_step now = {i / br * ((m - 1) / bc + 1) + j / bc, 0, i, i + rows, j, j + keys,
                                    sees[rows - 1] == 0, max, sum, rescale, first};
            if (trace) trace(context, &now);
        }
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < dv; c++) O[i + r][c] = seen(n, m, causal, i + r, 0, m) ? O[i + r][c] / sum[r] : 0;
    }
    return free(S), free(row), free(sees), 0;
}

int attention_tiled(size_t n, size_t m, size_t d, size_t dv, size_t br, size_t bc, bool causal,
        const float Q[n][d], const float K[m][d], const float V[m][dv], float O[n][dv])
{
    return attention_tiled_traced(n, m, d, dv, br, bc, causal, Q, K, V, O, NULL, NULL);
}
