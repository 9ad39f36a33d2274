/* Both products of flash.c: one loop over registers, in the C that gcc and clang share. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "common.h"

typedef struct { const float *at; size_t row, column; } matrix; /* A[r][k] = at[r * row + k * column] */

/* The micro-kernel: ROWS x width vectors, from row r on, of C [..][lanes] = scale A B, or = rescale C + A B with
 * rescale [lanes]; B [depth][lanes]. Where A has no more rows the last is used again: C has room, nobody reads it. */
INLINE void multiply(int width, size_t r, size_t rows, size_t depth, matrix A, size_t lanes, const float *B, float *C,
                     float scale, const float *rescale)
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
            UNROLL for (int v = 0; v < width; v++) sum[i][v] += a[i][k * A.column] * b[v];
    }
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int v = 0; v < width; v++) {
            vec *c = (vec *)(C + (r + i) * lanes) + v;
            *c = rescale ? *c * ((const vec *)rescale)[v] + sum[i][v] : sum[i][v] * scale;
        }
}

/* all of C; rescale may be NULL. The width is a constant in each call, for sums become registers only when unrolled. */
INLINE void product(size_t rows, size_t depth, matrix A, size_t lanes, const float *B, float *C, float scale,
                    const float *rescale)
{
#define MULTIPLY(width) multiply(width, r, rows, depth, A, lanes, B + s, C + s, scale, rescale ? rescale + s : NULL)
    for (size_t r = 0; r < rows; r += ROWS) {
        size_t s = 0;
        for (; s + WIDE * W <= lanes; s += WIDE * W) MULTIPLY(WIDE);
        for (; s + 2 * W <= lanes; s += 2 * W) MULTIPLY(2);
        for (; s < lanes; s += W) MULTIPLY(1);
    }
#undef MULTIPLY
}

/* B [columns][to] = A [rows][from] transposed; four by four while there are four */
INLINE void transpose(size_t rows, size_t columns, const float *A, size_t from, float *B, size_t to)
{
    for (size_t c = 0; c < columns; c += 4)
        for (size_t r = 0; r < rows; r += 4)
            if (r + 4 <= rows && c + 4 <= columns) {
                const float *a = A + r * from + c;
                UNROLL for (int k = 0; k < 4; k++)
                    *(quad *)(B + (c + k) * to + r) = (quad){a[k], a[from + k], a[2 * from + k], a[3 * from + k]};
            } else
                for (size_t k = c; k < least(c + 4, columns); k++)
                    for (size_t l = r; l < least(r + 4, rows); l++) B[k * to + l] = A[l * from + k];
}
#endif
