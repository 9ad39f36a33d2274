/* Experiments: what the versions cost in memory and in digits. */
#define _DARWIN_C_SOURCE /* macOS: ru_maxrss */
#include "experiment.h"
#include "../suites/article.h"
#define UNCOUNTED
#include "../suites/counted.h"
#include "../suites/reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory: what the versions hold beside inputs and outputs ----
 * Versions 0 to 4: version 5 also holds copies of inputs and outputs, as a graphics card has to. */

static size_t versions_on_cpu(void)
{
    size_t count = 0;
    while (count < version_count && versions[count].stage <= 4) count++;
    return count;
}

void storage(void)
{
    printf("%8s", "n = m");
    for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14s", versions[i].name);
    printf("\n");
    for (size_t n = 1000; n <= 100000; n *= 10) {
        printf("%8zu", n);
        for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14zu", storage_asked(&versions[i], n));
        printf("\n");
    }
}

/* runs the version on n = m, d = dv = 1; returns the most memory that this process ever held, in MB */
static double run_resident(const version *v, size_t n)
{
    const problem p = simple_problem(n, n, 1, 1, ARTICLE_BLOCK);
    float *x = need(n, sizeof *x);
    double *O = need(n, sizeof *O);
    struct rusage use;
    counted_begin((size_t)-1);
    if (v->run(&p, x, x, x, O) || getrusage(RUSAGE_SELF, &use)) return NAN;
    free(x), free(O);
#ifdef __APPLE__
    return use.ru_maxrss / 1e6; /* bytes there, kilobytes elsewhere */
#else
    return use.ru_maxrss * 1024 / 1e6;
#endif
}

void resident(void)
{
    printf("%8s", "n = m");
    for (size_t i = 0; i < versions_on_cpu(); i++) printf(", %14s", versions[i].name);
    printf("\n");
    for (size_t n = 500; n <= 5000; n *= 10) {
        printf("%8zu", n);
        for (size_t i = 0; i < versions_on_cpu(); i++) { /* a process for each, since the number never falls */
            fflush(stdout);
            const pid_t child = fork();
            if (child == 0) printf(", %14.1f", run_resident(&versions[i], n)), exit(0);
            if (child < 0 || waitpid(child, NULL, 0) < 0) perror("experiment: fork"), exit(2);
        }
        printf("\n");
    }
}

/* ---- numerics: the grid that scores are rounded to, and where sums stick ---- */

/* version 2's largest deviation from float64 as the scores grow */
void grid(void)
{
    printf("  hot, largest score, step of float32 there, version 2 from float64\n");
    for (double heat = 1; heat < 101; heat *= sqrt(10)) {
        const data a = article(heat);
        const float s = (float)largest_score(&a.p, a.Q, a.K);
        double *right = need(a.p.n * a.p.dv, sizeof *right), *O = run("safe", &a);
        reference(&a.p, a.Q, a.K, a.V, right, NULL);
        printf("%5.1f, %13.2f, %21.1e, %23.1e\n", heat, s, nextafterf(s, INFINITY) - s,
               largest_deviation(a.p.n * a.p.dv, O, right, NULL));
        free(right), free(O), free_data(a);
    }
}

/* x rounded to a number of so many bits, ties to even */
static double rounded(double x, int bits)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

void stuck(void)
{
    static const struct { const char *name; int bits; } types[] = {{"bfloat16", 8}, {"float16", 11}, {"float32", 24}};
    printf("type,     bits, a sum of ones stays at\n");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double sum = 0;
        while (rounded(sum + 1, types[i].bits) != sum) sum = rounded(sum + 1, types[i].bits);
        printf("%-8s, %4d, %22.0f\n", types[i].name, types[i].bits, sum);
    }
}

/* one query whose keys all have the same score and the value 0.1: the result is 0.1, however many there are */
void rows(void)
{
    static const char *names[] = {"loop", "matrix", "safe", "online", "flash"};
    const size_t count = sizeof names / sizeof *names, most = 1 << 20;
    float q = 0, *K = need(most, sizeof *K), *V = need(most, sizeof *V);
    for (size_t j = 0; j < most; j++) V[j] = 0.1f;
    printf("%8s", "keys");
    for (size_t i = 0; i < count; i++) printf(", %8s", names[i]);
    printf("\n");
    for (size_t m = 1024; m <= most; m *= 4) {
        const data a = {.p = simple_problem(1, m, 1, 1, ARTICLE_BLOCK), .Q = &q, .K = K, .V = V};
        printf("%8zu", m);
        for (size_t i = 0; i < count; i++) {
            double *O = run(names[i], &a);
            printf(", %8.1e", fabs(O[0] / 0.1f - 1));
            free(O);
        }
        printf("\n");
    }
    free(K), free(V);
}
