/* The versions as a page calls them, compiled to WebAssembly with the lessons' own files. Nothing of a version is
 * written a second time here: a version is asked with inputs that make it hand out what is wanted.
 *
 *     V = identity         the output is the weights
 *     attention_loop       built a second time with a TELL after each of its inner lines
 *     flash_step           attention_tiled and attention_flash tell their account tile by tile
 *
 * A page first calls tensors and question. What a call returns stays where it is until the same function is called
 * again. Sizes are those of a picture; where memory ends, need() ends the program. */
#define UNCOUNTED
#include "../../04_online_softmax/common.h"
#include "../../04_online_softmax/tiled.h"
#include "../../tests/suites/counted.h"
#include "../../tests/suites/reference.h"
#include <string.h>
#define attention_loop told_loop
#include "../../00_loop/attention.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static problem p;
static float *given, *Q, *K, *V; /* given: Q, K and V one after the other, as the page wrote them */

static void *fresh(void *old, size_t count, size_t size) { return free(old), need(count, size); }

/* room for Q [n][d], K [m][d], V [m][dv], one after the other: the page writes its numbers there */
float *EXPORT(tensors)(size_t n, size_t m, size_t d, size_t dv)
{
    const size_t count = n * d + m * (d + dv);
    p = simple_problem(n, m, d, dv, m);
    Q = fresh(Q, count, sizeof *Q), K = Q + n * d, V = K + m * d;
    return given = fresh(given, count, sizeof *given);
}

/* Q and K times hot; keys in a block; who sees whom; values: 0 as given, 1 all ones (loud), 2 one and minus one in turn
 * (quiet) */
void EXPORT(question)(double hot, size_t block, bool causal, int values)
{
    const size_t count = V - Q;
    for (size_t i = 0; i < count; i++) Q[i] = (float)(given[i] * hot);
    for (size_t i = 0; i < p.m * p.dv; i++) V[i] = !values ? given[count + i] : values == 2 && i / p.dv % 2 ? -1 : 1;
    p.block = block, p.causal = causal;
}

const char *EXPORT(name)(size_t i) { return i < version_count ? versions[i].name : NULL; }
double EXPORT(largest)(void) { return largest_score(&p, Q, K); }

double *EXPORT(output)(size_t i)
{
    static double *O;
    O = fresh(O, p.n * p.dv, sizeof *O);
    versions[i].run(&p, Q, K, V, O);
    return O;
}

/* O = P V, so with V = identity a version hands out its weights: P [n][m] */
double *EXPORT(weights)(size_t i)
{
    static double *P;
    static float *identity;
    problem whole = p;
    whole.dv = p.m;
    P = fresh(P, p.n * p.m, sizeof *P), identity = fresh(identity, p.m * p.m, sizeof *identity);
    for (size_t j = 0; j < p.m; j++) identity[j * p.m + j] = 1;
    versions[i].run(&whole, Q, K, identity, P);
    return P;
}

/* the largest deviation of a version from version 2; INFINITY where an output is not finite */
double EXPORT(from_safe)(size_t i)
{
    double *O = need(p.n * p.dv, sizeof *O);
    version_named("safe")->run(&p, Q, K, V, O);
    const double deviation = largest_deviation(p.n * p.dv, output(i), O, NULL);
    return free(O), deviation;
}

/* ---- attention_loop tells what it does: built a second time, with a TELL after each of its inner lines ---- */
enum { TIMES = 0, KEY = 1, TOLD = 7 }; /* s += ..; sum += ..; O[i][c] += ..: kind, i, j, k or c, and three numbers */
static double *told, *score_told;
void tell_loop(int kind, size_t i, size_t j, size_t x, double a, double b, double c)
{
    if (kind == KEY) *score_told++ = a;
    if (!told) return;
    memcpy(told, (double[TOLD]){kind, i, j, x, a, b, c}, TOLD * sizeof *told), told += TOLD;
}

/* S [n][m] as attention_loop hands it to exp; and, where told is room for it, all its steps */
double *EXPORT(scores)(void)
{
    static double *S, *O;
    S = score_told = fresh(S, p.n * p.m, sizeof *S), O = fresh(O, p.n * p.dv, sizeof *O);
    told_loop(p.n, p.m, p.d, p.dv, (void *)Q, (void *)K, (void *)V, (void *)O);
    return S;
}

/* The triple loop from inside, [n * m * (d + 1 + dv)][7]: kind 0 k, s so far; 1 score, weight, sum so far; 2 c, share,
 * O[i][c] so far */
double *EXPORT(tour)(void)
{
    static double *steps;
    told = steps = fresh(steps, p.n * p.m * (p.d + 1 + p.dv), TOLD * sizeof *steps);
    scores(), told = NULL;
    return steps;
}

/* ---- the walk over tiles, and a row's account ---- */
enum { HEAD = 5, ENTRIES = 4 }; /* i0, i1, j0, j1, skipped; then for each row maximum, rescale, sum, first */
static float *trace, *next, *maximum; /* maximum [n]: at the step that is shown */
static size_t steps;

static void tell(void *context, const flash_step *s)
{
    (void)context;
    *next++ = (float)s->i0, *next++ = (float)s->i1, *next++ = (float)s->j0, *next++ = (float)s->j1, *next++ = s->skipped;
    for (size_t r = 0; r < s->i1 - s->i0; r++, next += ENTRIES)
        next[0] = s->maximum[r], next[1] = s->rescale[r], next[2] = s->sum[r], next[3] = s->first[r];
    steps++;
}

/* tiles of br queries and bc keys, by attention_flash or attention_tiled; step after step without gaps */
float *EXPORT(walk)(bool flash, size_t br, size_t bc)
{
    float *O = need(p.n * p.dv, sizeof *O);
    const size_t blocks = (p.m + bc - 1) / bc, tiles = (p.n + br - 1) / br;
    next = trace = fresh(trace, blocks * (tiles * HEAD + p.n * ENTRIES), sizeof *trace), steps = 0;
    flash_problem f = flash_of(&p);
    f.br = br, f.bc = bc, f.trace = tell;
    if (flash) attention_flash(&f, Q, K, V, O, NULL);
    else attention_tiled_traced(p.n, p.m, p.d, p.dv, br, bc, p.causal, (void *)Q, (void *)K, (void *)V, (void *)O,
                                tell, NULL);
    return free(O), trace;
}
size_t EXPORT(walk_steps)(void) { return steps; }

/* [n][m] after the walk's step now: exp(score - maximum of its row so far) where query and key have met, -1 where they
 * have not yet, -2 where the query does not see the key */
float *EXPORT(shades)(size_t now)
{
    static float *shade;
    const double *S = scores();
    shade = fresh(shade, p.n * p.m, sizeof *shade), maximum = fresh(maximum, p.n, sizeof *maximum);
    for (size_t i = 0; i < p.n * p.m; i++) shade[i] = -1;
    const float *at = trace;
    for (size_t s = 0; s <= now && s < steps; s++) {
        const size_t i0 = (size_t)at[0], i1 = (size_t)at[1], j0 = (size_t)at[2], j1 = (size_t)at[3];
        at += HEAD;
        for (size_t i = i0; i < i1; i++, at += ENTRIES) {
            maximum[i] = at[0];
            for (size_t j = j0; j < j1; j++) shade[i * p.m + j] = j < visible_keys(&p, i) ? 0 : -2;
        }
    }
    for (size_t i = 0; i < p.n; i++)
        for (size_t j = 0; j < p.m; j++)
            if (shade[i * p.m + j] == 0) shade[i * p.m + j] = expf((float)S[i * p.m + j] - maximum[i]);
    return shade;
}

/* ---- two accounts make one: decode.c ---- */

/* query i; [3][dv + 2]: the account of keys 0 .. cut - 1, of the others, and both merged; then O [dv] */
float *EXPORT(merged)(size_t i, size_t cut)
{
    static float *accounts;
    const size_t w = p.dv + 2;
    const flash_problem f = flash_of(&p);
    const head h = {.p = &f, .Q = Q, .K = K, .V = V};
    accounts = fresh(accounts, 4 * w, sizeof *accounts);
    attend_few(&h, i, 1, 0, cut, accounts);
    attend_few(&h, i, 1, cut, p.m, accounts + w);
    memcpy(accounts + 2 * w, accounts, w * sizeof *accounts);
    merge(p.dv, accounts + 2 * w, accounts + w);
    settle(&f, i, accounts + 2 * w, accounts + 3 * w, NULL);
    return accounts;
}

/* ---- version 5: flash.cu's own lines say which thread holds what ---- */
static struct { unsigned x; } threadIdx;
#define __host__
#define __device__
#define constexpr const
#include "flash_layout.h" /* three lines of 05_cuda/flash.cu: Br and Quad, keys_a_tile, column */

size_t EXPORT(block_queries)(void) { return Br; }
size_t EXPORT(block_threads)(void) { return Br * Quad; }
/* the query of the block, and the e-th column of q and acc, that a thread holds */
unsigned EXPORT(thread_query)(unsigned thread) { return thread / Quad; }
unsigned EXPORT(thread_column)(unsigned thread, int e) { return threadIdx.x = thread, column(e); }
unsigned EXPORT(thread_columns)(unsigned width) { return width / Quad; }
int EXPORT(tile_keys)(size_t width) { return keys_a_tile(width); }

/* What one head moves, n = m, d = dv, by lesson 5's formulas: elements by naive in squares of 16, by flash with br
 * queries a tile, bytes of shared memory that a tile of K and one of V take, naive / flash, bytes of both in float32 */
double *EXPORT(moved)(double n, double d, double br, double bc)
{
    static double all[6];
    const double square = 16, size = sizeof(float);
    const double naive = 2 * n * d * (n / square) + n * n + 4 * n * n + n * n * (d / square) + n * d * (n / square) + n * d;
    const double flash = n * d + n / br * n * 2 * d + n * d;
    return memcpy(all, (double[]){naive, flash, 2 * bc * d * size, naive / flash, naive * size, flash * size}, sizeof all);
}
