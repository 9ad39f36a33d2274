/* See expect.h. */
#include "expect.h"
#include "reference.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

uint64_t seed(void)
{
    const char *text = getenv("SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

/* splitmix64: Steele, Lea and Flood 2014 */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

double uniform(uint64_t *state) { return (double)(next(state) >> 11) * 0x1p-53; }

size_t between(uint64_t *state, size_t least, size_t most) { return least + next(state) % (most - least + 1); }

float normal(uint64_t *state) /* Box and Muller 1958 */
{
    const double radius = sqrt(-2 * log(1 - uniform(state)));
    return (float)(radius * cos(6.283185307179586 * uniform(state)));
}

tensors zero_tensors(const problem *p)
{
    const size_t kv = p->batch * p->kv_heads;
    return (tensors){.Q = need(p->batch * p->heads * p->n * p->d, sizeof(float)),
                     .K = need(kv * p->m * p->d, sizeof(float)), .V = need(kv * p->m * p->dv, sizeof(float))};
}

tensors normal_tensors(const problem *p, uint64_t *state)
{
    const tensors t = zero_tensors(p);
    const size_t kv = p->batch * p->kv_heads;
    for (size_t i = 0; i < p->batch * p->heads * p->n * p->d; i++) t.Q[i] = normal(state);
    for (size_t i = 0; i < kv * p->m * p->d; i++) t.K[i] = normal(state);
    for (size_t i = 0; i < kv * p->m * p->dv; i++) t.V[i] = normal(state);
    return t;
}

void free_tensors(tensors t) { free(t.Q), free(t.K), free(t.V); }

problem right_block(const version *v, problem p)
{
    if (v->wrong) p.block = p.m ? p.m : 1;
    return p;
}

static char input[1024];
const char *last_input(void) { return input; }

/* appends name = [numbers] to input, if there are only a few */
static void append(const char *name, const float *x, size_t count)
{
    if (!x || count == 0 || count > 6) return;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(input);
        const char *before = i ? " " : name;
        snprintf(input + length, sizeof input - length, "%s%.6g%s", before, x[i], i + 1 < count ? "" : "]");
    }
}

static void describe(const version *v, const problem *p, tensors t, const char *what)
{
    snprintf(input, sizeof input, "%s: n %zu, m %zu, d %zu, dv %zu", what, p->n, p->m, p->d, p->dv);
    size_t length = strlen(input);
    if (v->blocks) snprintf(input + length, sizeof input - length, ", block %zu", p->block);
    length = strlen(input);
    if (p->causal) snprintf(input + length, sizeof input - length, ", causal");
    if (p->n * p->d > 6 || p->m * p->d > 6 || p->m * p->dv > 6) return;
    append(", Q = [", t.Q, p->n * p->d);
    append(", K = [", t.K, p->m * p->d);
    append(", V = [", t.V, p->m * p->dv);
}

void run_version(const version *v, const problem *p, tensors t, double *O, const char *what)
{
    describe(v, p, t, what);
    const int error = v->run(p, t.Q, t.K, t.V, O);
    ck_assert_msg(error != ENOSYS, "%s: the lines are still to be written: it returns ENOSYS", v->name);
    ck_assert_msg(error == 0, "%s: %s: error %d (%s), expected success", v->name, input, error, strerror(error));
}

/* printf would show a sign where there is none to speak of */
static double unsigned_nan(double x) { return isnan(x) ? fabs(x) : x; }

void expect_outputs(const version *v, const problem *p, tensors t, const double *expected, double allowed,
                    const char *what)
{
    double *O = need(outputs(p), sizeof *O);
    size_t where;
    for (size_t i = 0; i < outputs(p); i++) O[i] = i % 2 ? (double)NAN : 12345; /* to be overwritten */
    run_version(v, p, t, O, what);
    const double deviation = largest_deviation(outputs(p), O, expected, &where);
    ck_assert_msg(deviation <= allowed, "%s: %s: row %zu, column %zu is %.9g, expected %.9g, allowed %.3g", v->name,
                  input, where / (p->dv + !p->dv), where % (p->dv + !p->dv), outputs(p) ? unsigned_nan(O[where]) : 0,
                  outputs(p) ? expected[where] : 0, allowed);
    free(O);
}

void (*before_test)(void), (*after_test)(void);
void begin_test(void) { if (before_test) before_test(); }
void end_test(void) { if (after_test) after_test(); }

void expect_reference(const version *v, const problem *p, tensors t, const char *what)
{
    double *expected = need(outputs(p), sizeof *expected);
    reference(p, t.Q, t.K, t.V, expected, NULL);
    expect_outputs(v, p, t, expected, tolerance(p, v->unit, t.Q, t.K, t.V, expected), what);
    free(expected);
}

int command(const char *line, char *text, size_t size)
{
    char both[4096];
    ck_assert_msg((size_t)snprintf(both, sizeof both, "{ %s ; } 2>&1", line) < sizeof both, "too long: %s", line);
    fflush(NULL);
    FILE *pipe = popen(both, "r");
    ck_assert_msg(pipe != NULL, "cannot run: %s", line);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = 0;
    while (fgetc(pipe) != EOF) {}
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
