/* Experiments: the walk of the tiles, for the moving pictures. */
#include "experiment.h"
#include "../suites/reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stage 4: attention_flash's walk, for the moving tiles ---- */

static void tell(void *none, const flash_step *s)
{
    (void)none;
    for (size_t row = s->i0; row < s->i1; row++) {
        const size_t r = row - s->i0;
        printf("%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%.9g,%.9g,%.9g,%.9g\n", s->step, s->head, row, s->i0, s->i1,
               s->j0, s->j1, s->skipped, s->maximum[r], s->sum[r], s->rescale[r], s->first[r]);
    }
}

/* The article's 64 keys, cut in two: the first half of each asks, the second half answers. */
static void walk(bool causal)
{
    const data a = article(1);
    const size_t n = a.p.m, d = a.p.d / 2;
    float *Q = need(n * d, sizeof *Q), *K = need(n * d, sizeof *K), *O = need(n * a.p.dv, sizeof *O);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++) Q[i * d + k] = a.K[2 * i * d + k], K[i * d + k] = a.K[(2 * i + 1) * d + k];
    const flash_problem p = {.batch = 1, .heads = 1, .kv_heads = 1, .n = n, .m = n, .d = d, .dv = a.p.dv,
                             .scale = 1 / sqrtf((float)d), .causal = causal, .br = 16, .bc = 8, .trace = tell};
    printf("step,head,row,i0,i1,j0,j1,skipped,maximum,sum,rescale,first\n");
    const int error = attention_flash(&p, Q, K, a.V, O, NULL);
    if (error) fprintf(stderr, "experiment: attention_flash: %s\n", strerror(error)), exit(2);
    free(Q), free(K), free(O), free_data(a);
}

void dense(void) { walk(false); }
void causal(void) { walk(true); }
