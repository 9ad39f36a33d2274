/* Version 2: where exp overflows, what that does to a softmax, and how the
 * subtracted maximum avoids it.
 *
 * A floating-point type holds finitely many numbers. Written as bit patterns the
 * positive ones are in order, so the largest x whose exp(x) is still finite is
 * found by halving the range of patterns, on the type's own grid. */
#include "attention.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct { const char *name; int exponent, fraction; } format; /* bits */
static const format formats[] = {{"float16", 5, 10}, {"bfloat16", 8, 7}, {"float32", 8, 23}, {"float64", 11, 52}};

static int bias(format f) { return (1 << (f.exponent - 1)) - 1; }

/* the number that a bit pattern (without sign) stands for in format f */
static double value(format f, uint64_t pattern)
{
    const int exponent = (int)(pattern >> f.fraction);
    const double fraction = ldexp((double)(pattern & ((UINT64_C(1) << f.fraction) - 1)), -f.fraction);
    return exponent ? ldexp(1 + fraction, exponent - bias(f)) : ldexp(fraction, 1 - bias(f));
}

/* does exp(x), rounded to format f, become infinite? */
static int overflows(format f, double x)
{
    return exp(x) >= ldexp(2 - ldexp(1, -f.fraction - 1), bias(f)); /* halfway from the largest number to the next */
}

/* the largest number of format f whose exp is finite; *next: its neighbour, whose exp is not */
static double threshold(format f, double *next)
{
    uint64_t finite = 0, infinite = (UINT64_C(1) << (f.exponent + f.fraction)) - (UINT64_C(1) << f.fraction);
    while (infinite - finite > 1) {
        const uint64_t middle = finite + (infinite - finite) / 2;
        if (overflows(f, value(f, middle))) infinite = middle;
        else finite = middle;
    }
    *next = value(f, infinite);
    return value(f, finite);
}

/* softmax as version 1 takes it */
static void naive_softmax(size_t m, const float s[m], float p[m])
{
    float sum = 0;
    for (size_t j = 0; j < m; j++) sum += p[j] = expf(s[j]);
    for (size_t j = 0; j < m; j++) p[j] /= sum;
}

enum { N = 2, M = 4, D = 4 };
static const float Q[N][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const float K[M][D] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
static const float I[M][M] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}; /* as values: the weights */

static void print_row(const char *title, const float row[M])
{
    printf("    %-14s", title);
    for (size_t j = 0; j < M; j++)
        if (isnan(row[j])) printf("%12s", "nan"); /* without its sign, which is noise */
        else printf("%12.4g", row[j]);
    printf("\n");
}

/* the weights of the worked example with Q and K both times hot, as versions 1 and 2 find them */
static int compare(float hot)
{
    float q[N][D], k[M][D], safe[N][M];
    for (size_t i = 0; i < N; i++) for (size_t c = 0; c < D; c++) q[i][c] = Q[i][c] * hot;
    for (size_t j = 0; j < M; j++) for (size_t c = 0; c < D; c++) k[j][c] = K[j][c] * hot;
    const int error = attention_safe(N, M, D, M, q, k, I, safe);
    if (error) return error;

    printf("Q and K times %g\n", hot);
    for (size_t i = 0; i < N; i++) {
        float s[M], e[M], naive[M];
        for (size_t j = 0; j < M; j++) {
            s[j] = 0;
            for (size_t c = 0; c < D; c++) s[j] += q[i][c] * k[j][c];
            s[j] /= sqrtf(D);
            e[j] = expf(s[j]);
        }
        naive_softmax(M, s, naive);
        printf("  query %zu\n", i);
        print_row("scores", s), print_row("exp(scores)", e), print_row("naive weights", naive);
        print_row("safe weights", safe[i]);
    }
    printf("\n");
    return 0;
}

int main(void)
{
    printf("Version 2: the maximum subtracted\n\n");
    printf("Where exp overflows\n");
    printf("  type      largest x with exp(x) finite   its neighbour, exp infinite\n");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        double next, x = threshold(formats[i], &next);
        printf("  %-9s %28.17g %29.17g\n", formats[i].name, x, next);
    }
    printf("\n");

    int error = compare(1);
    if (!error) error = compare(10);
    if (error) return fprintf(stderr, "attention_safe: %s\n", strerror(error)), 2;

    const float dot = 600, scale_float = 0.5f;
    const double scale_double = 0.5;
    printf("The same score, 600 / 2, with the scale held in\n");
    printf("  float:  expf(%g) = %g\n", dot * scale_float, expf(dot * scale_float));
    printf("  double: exp(%g)  = %g   (product and exp are now double: the fault is hidden until %.2f)\n",
           dot * scale_double, exp(dot * scale_double), threshold(formats[3], &(double){0}));
    if (fflush(stdout) || ferror(stdout)) return perror("standard output"), 2;
    return 0;
}
