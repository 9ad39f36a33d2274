/* attention_tiled at work, as its own trace tells it: 32 queries in tiles of 16 meet 40 keys in blocks of 8. Then
 * attention_flash on the same input.
 *
 * The worked example, repeated: query i is q0 or q1, key j is 2 e_(j mod 4), but every block of keys is louder than
 * the one before by the size of the first. So each block brings larger scores, and all before it is rescaled. */
#include "tiles.h"
#include "flash.h"
#include "tiled.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 32, M = 40, D = 4, DV = 2, BR = 16, BC = 8 };
static float Q[N][D], K[M][D], V[M][DV], O[N][DV], F[N][DV];

static void fill(void)
{
    static const float q[2][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
    for (size_t i = 0; i < N; i++) memcpy(Q[i], q[i % 2], sizeof Q[i]);
    for (size_t j = 0; j < M; j++) {
        K[j][j % D] = 2 * (float)(1 + j / BC);
        V[j][0] = 10 * (float)(1 + j % D), V[j][1] = 1;
    }
}

/* the tile's first and last row on paper, all its rows in the file */
static void tell(void *file, const flash_step *s)
{
    printf("%4zu  %2zu to %2zu  %2zu to %2zu  ", s->step, s->i0, s->i1 - 1, s->j0, s->j1 - 1);
    if (s->skipped) printf("skipped: query %zu sees keys up to %zu\n", s->i1 - 1, s->i1 - 1 + M - N);
    for (size_t row = s->i0; row < s->i1; row++) {
        const size_t r = row - s->i0;
        const bool first = row == s->i0, last = row == s->i1 - 1;
        if (!s->skipped && (first || last))
            printf("%s%3zu %7g %9.4f %9.4f %9.4f\n", first ? "" : "                        ",
                   row, s->maximum[r], s->rescale[r], s->sum[r], s->first[r]);
        if (file)
            fprintf(file, "%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%.9g,%.9g,%.9g,%.9g\n", s->step, s->head, row, s->i0, s->i1,
                    s->j0, s->j1, s->skipped, s->maximum[r], s->sum[r], s->rescale[r], s->first[r]);
    }
}

static int complain(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 2;
}

/* attention_flash gives what attention_tiled gave, up to rounding; returns 1 where it does not */
static int compare(void)
{
    const flash_problem p = {.batch = 1, .heads = 1, .kv_heads = 1, .n = N, .m = M, .d = D, .dv = DV, .causal = true,
                             .scale = 0.5f};
    errno = attention_flash(&p, &Q[0][0], &K[0][0], &V[0][0], &F[0][0], NULL);
    if (errno) return complain("attention_flash");
    printf("attention_flash:      row 0 [%.4f %.4f], row %d [%.4f %.4f]\n", F[0][0], F[0][1], N - 1, F[N - 1][0],
           F[N - 1][1]);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < DV; c++)
            if (!(fabsf(O[i][c] - F[i][c]) <= 1e-5f))
                return fprintf(stderr, "attention_flash: O[%zu][%zu] = %g, attention_tiled has %g\n", i, c, F[i][c],
                               O[i][c]), 1;
    return 0;
}

/* runs and prints the walk; file may be NULL */
static int walk(FILE *file)
{
    fill();
    printf("\nattention_tiled: %d queries in tiles of %d, %d keys in blocks of %d; query i sees keys up to i + %d\n"
           "Q_i [%d][%d], K_j [%d][%d], V_j [%d][%d]: S_ij and P_ij [%d][%d], O_i [%d][%d]\n\n"
           "step   queries      keys  row     max   rescale       sum   O before the division\n",
           N, BR, M, BC, M - N, BR, D, BC, D, BC, DV, BR, BC, BR, DV);
    if (file) fprintf(file, "step,head,row,i0,i1,j0,j1,skipped,maximum,sum,rescale,first\n");
    errno = attention_tiled_traced(N, M, D, DV, BR, BC, true, Q, K, V, O, tell, file);
    if (errno) return complain("attention_tiled");
    printf("\ndivided by the sum:   row 0 [%.4f %.4f], row %d [%.4f %.4f]\n", O[0][0], O[0][1], N - 1, O[N - 1][0],
           O[N - 1][1]);
    for (size_t i = 0; i < N; i++)
        if (!(fabsf(O[i][1] - 1) <= 1e-6f))
            return fprintf(stderr, "attention_tiled: the weights of row %zu add up to %.9g, not to 1\n", i, O[i][1]), 1;
    return compare();
}

int show_tiles(const char *trace_file)
{
    char part[4096];
    if (!trace_file) return walk(NULL);
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(part, sizeof part, "%s.part", trace_file) >= sizeof part) return complain("--trace");
    FILE *file = fopen(part, "w");
    if (!file) return complain(part);
    const int status = walk(file);
    if (fclose(file)) return complain(part);
    return status ? status : rename(part, trace_file) ? complain(trace_file) : 0;
}
