/* What all files of attention_flash share: what differs between machines and compilers, vectors, sizes, one head of the
 * problem, who sees whom, a row's account, and exp. */
#ifndef COMMON_H
#define COMMON_H

#include "flash.h"
#include <float.h>
#include <math.h>
#include <stdint.h>

#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__
#error "not with -ffast-math, -Ofast or -funsafe-math-optimizations: NaN, infinity and the order of sums have a meaning"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "float must be computed as float, for exp relies on its rounding (with -m32: -mfpmath=sse -msse2)"
#endif

#ifdef _OPENMP
#include <omp.h>
#define PRAGMA(x) _Pragma(#x)
#define PARALLEL(threads) PRAGMA(omp parallel for num_threads(threads) schedule(dynamic))
#else
#define PARALLEL(threads)
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
#endif

/* W floats make a vector. ROWS x WIDE vectors are summed at a time: what the registers hold beside the operands. */
#if defined __AVX512F__
enum { W = 16, ROWS = 8, WIDE = 3 };
#elif defined __AVX__
enum { W = 8, ROWS = 4, WIDE = 3 };
#elif defined __aarch64__
enum { W = 4, ROWS = 8, WIDE = 2 };
#else
enum { W = 4, ROWS = 4, WIDE = 2 };
#endif
typedef float vec __attribute__((vector_size(4 * W), may_alias));
typedef int mask __attribute__((vector_size(4 * W), may_alias));
typedef float loose __attribute__((vector_size(4 * W), may_alias, aligned(4))); /* as rows of K and V lie */
typedef float quad __attribute__((vector_size(16), may_alias, aligned(4)));

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__ /* it reads "GCC unroll" as a wish for later, when arrays can't become registers any more */
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#define ROLLED _Pragma("GCC unroll 1")
#endif

INLINE size_t least(size_t a, size_t b) { return a < b ? a : b; }
INLINE size_t most(size_t a, size_t b) { return a > b ? a : b; }
INLINE size_t up(size_t a, size_t to) { return (a + to - 1) / to * to; } /* to the next multiple */
INLINE size_t times(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; } /* never wraps */

/* neither NaN nor infinity among the numbers of x */
INLINE bool all_finite(const float *x, size_t count)
{
    int others = 0;
    for (size_t c = 0; c < count; c++) others |= !(fabsf(x[c]) <= FLT_MAX);
    return !others;
}

/* Queries that share keys and values: one query head or, with few queries, all heads of a group below each other. */
typedef struct {
    const flash_problem *p;
    size_t index;           /* number of the matrix */
    const float *Q, *K, *V; /* [rows][d], [m][d], [m][dv]; row r is query r % n */
} head;

/* Query i sees the first so many keys. Causal means that query i sees key j when j <= i + m - n. */
INLINE size_t visible(const flash_problem *p, size_t i)
{
    if (!p->causal) return p->m;
    return i + 1 + p->m > p->n ? i + 1 + p->m - p->n : 0;
}

/* row r of a head sees the first so many of keys j .. end - 1 */
INLINE size_t seen(const head *h, size_t r, size_t j, size_t end)
{
    const size_t stop = least(end, visible(h->p, r % h->p->n));
    return stop < j ? 0 : stop - j;
}

/* The account of a row over some keys, dv + 2 floats: their largest score, the sum of their weights
 * exp(score - largest), and the sum of weight * value for each of the dv columns. */
enum { MAXIMUM, SUM, VALUES };

/* decode.c: the accounts of rows i .. i + rows - 1 of a head over keys j .. end - 1; account [rows][dv + 2] */
void attend_few(const head *h, size_t i, size_t rows, size_t j, size_t end, float *account);

/* decode.c: enters into account what other has seen. However the keys are split, merging gives the whole. */
void merge(size_t dv, float *account, const float *other);

/* decode.c: the division at the end, for row i of a head; O [dv], lse [1] or NULL */
void settle(const flash_problem *p, size_t i, const float *account, float *O, float *lse);

/* decode.c: merges accounts [batch * heads * n][parts][dv + 2], neighbours first, and settles every row */
void settle_parts(const flash_problem *p, size_t parts, float *accounts, float *O, float *lse);

/* What is subtracted before exp: the maximum, but 0 as long as all scores are -inf, for -inf minus -inf is NaN. */
INLINE float base_of(float maximum) { return maximum == -INFINITY ? 0 : maximum; }

INLINE vec pick(mask m, vec yes, vec no) { return (vec)((m & (mask)yes) | (~m & (mask)no)); }
INLINE vec larger(vec a, vec b) { return pick(a > b, a, b); } /* b if a is NaN */
INLINE vec bases_of(vec maximum) { return pick(maximum == -INFINITY, (vec){0}, maximum); }

/* e^x for x <= 0: at most 3 ulp off, below 2^-126 rounded to what float32 still has, 0 from -104 on; NaN stays NaN.
 * x = k ln 2 + r with a whole k and |r| <= ln 2 / 2, so e^x = 2^k e^r, and a polynomial will do for e^r. Its numbers
 * are times 2^-64, and 2^(k + 64) has an exponent field of its own down to k = -150. */
INLINE vec exp_of(vec x)
{
    const float magic = 0x1.8p23f + 127 + 64;                /* this large, floats are whole: adding it rounds, */
    const vec rounded = x * 1.44269504f + magic;             /* and the lowest bits of the sum are k + 64 + 127 */
    const vec k = rounded - magic;
    const vec r = x - k * 0.693359375f + k * 2.12194440e-4f; /* ln 2 in two parts; k times the first is exact */
    const float u = 0x1p-64f;
    const vec e_r = ((((0.00829031039f * u * r + 0.0418979302f * u) * r + 0.166676357f * u) * r + 0.499991506f * u) *
                     r + 0.999999702f * u) * r + u;
    const vec result = e_r * (vec)((mask)rounded << 23);     /* a product: adding exponents would turn NaN into */
    return (vec)((mask)result & ~(x < -104));                /* numbers */
}
INLINE float exp_negative(float x) { return exp_of((vec){0} + x)[0]; }
#endif
