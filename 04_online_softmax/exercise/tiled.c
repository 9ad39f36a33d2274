/* Exercise 4-tiled: a tile of queries meets a block of keys (Dao 2023, arXiv 2307.08691, algorithm 1).
 *
 *     for each of N tiles Q_i of Br queries               rows of them; Q_i and O_i stay
 *         the account of the tile is empty                your lines, about 2
 *         for each of M blocks K_j, V_j of Bc keys        keys of them; K_j and V_j pass by
 *             the tile meets the block                    your lines, about 7, and online_softmax, about 10
 *         O_i = O_i / l_i                                 your lines, about 2
 *
 * Causal: query i sees key j when j <= i + m - n. seen tells how many keys of a block a query sees; scores and
 * weighted_sum take that number for every row of the tile (sees) and leave the other keys alone.
 *
 * To grade it: make exercise-4-tiled. Help: hints-tiled.md beside this file. */
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
    /* Your lines, about 10: exercise 4 for the rows of a tile. Row i sees the first sees[i] keys of the block and none
     * of the others. What its sum and its row of O are multiplied by is kept in rescale[i]. Take the next line out. */
    (void)n, (void)m, (void)dv, (void)sees, (void)S, (void)max, (void)sum, (void)rescale, (void)O;
    /* End of your lines */
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
        /* Your lines, about 2: the account of every row of the tile, before its first block. */
        /* End of your lines */
        for (size_t j = 0; j < m; j += bc) {
            const size_t keys = m - j < bc ? m - j : bc; /* the last block may be shorter */
            /* Your lines, about 7: the tile meets the block. sees[r] of every row, and rescale[r] = 1; then S_ij, the
             * account and O_i, unless no row of the tile sees any of these keys. Take the next line out. */
            (void)keys, (void)causal, (void)seen, (void)scores, (void)online_softmax, (void)weighted_sum;
            /* End of your lines */
            for (size_t r = 0; r < rows; r++) first[r] = O[i + r][0];
            const flash_step now = {i / br * ((m - 1) / bc + 1) + j / bc, 0, i, i + rows, j, j + keys,
                                    sees[rows - 1] == 0, max, sum, rescale, first};
            if (trace) trace(context, &now);
        }
        /* Your lines, about 2: what is left to do after the last block. A row that sees no key at all has zeros. */
        /* End of your lines */
    }
    return free(S), free(row), free(sees), 0;
}

int attention_tiled(size_t n, size_t m, size_t d, size_t dv, size_t br, size_t bc, bool causal,
        const float Q[n][d], const float K[m][d], const float V[m][dv], float O[n][dv])
{
    return attention_tiled_traced(n, m, d, dv, br, bc, causal, Q, K, V, O, NULL, NULL);
}
