/* A version that is right on all probes, and yet not right: heads, what O held before, where the maximum starts, a
 * number added to the sum, the last digits, memory that is kept. All answers are keys of sentences.en, with their
 * arguments. */
#define UNCOUNTED
#include "mistakes.h"
#include "../suites/counted.h"
#include "../suites/reference.h"
#include "probes.h"
#include <math.h>

/* Two equal scores, exact in any order of rounding: is their weight a half? */
static bool right_at(const version *v, float score)
{
    const problem p = simple_problem(1, 2, 1, 1, 2);
    double O;
    run_version(v, &p, (tensors){(float[]){1}, (float[]){score, score}, (float[]){1, 2}}, &O, "two equal scores");
    return alike(O, 1.5, 1e-3);
}

/* right on all probes: what is the maximum kept in, and where does it start? */
static const char *wrong_at_the_end(const version *v)
{
    const float far = 0x1p33f, end = 0x1p126f;
    if (v->overflow < INFINITY) return NULL;
    if (!right_at(v, far)) return "cause.max_int";
    return right_at(v, -far) && right_at(v, -end) ? NULL : "cause.max_from_finite";
}

/* A number added to the sum of the weights makes all outputs a little too small, by the same part. */
static const char *epsilon(const version *v)
{
    for (float shift = 0; shift >= -20; shift -= 20) { /* small sums, where exp is taken as it comes */
        double O;
        const problem p = simple_problem(1, 1, 1, 1, 1);
        if (shift < 0 && v->overflow == INFINITY) break;
        run_version(v, &p, (tensors){(float[]){1}, (float[]){shift}, (float[]){1}}, &O, "one key");
        const double added = exp(shift) * (1 / O - 1);
        if (isfinite(added) && fabs(1 - O) > 8 * v->unit && added > 0 && added < 0.5)
            return SAY("cause.epsilon|%.1g", added);
    }
    return NULL;
}

/* perhaps not to the last digits */
static const char *wrong_digits(const version *v)
{
    for (size_t m = 1; m <= 9; m += 8) {
        uint64_t state = 2;
        const problem p = simple_problem(4, m, 6, 4, m);
        const tensors t = normal_tensors(&p, &state);
        double O[OUTPUTS], right[OUTPUTS];
        right_results(v, &p, t, right);
        run_version(v, &p, t, O, "digits");
        const double deviation = largest_deviation(outputs(&p), O, right, NULL);
        const double allowed = tolerance(&p, v->unit, t.Q, t.K, t.V, right);
        free_tensors(t);
        if (deviation <= allowed || !isfinite(deviation)) continue;
        return SAY(v->unit < 0x1p-30 ? "cause.digits_double|%.0f" : "cause.digits|%.0f", -log10(deviation));
    }
    return NULL;
}

/* perhaps not with several heads that share keys */
static const char *wrong_heads(const version *v)
{
    uint64_t state = 3;
    problem p = simple_problem(2, 3, 4, 2, 3);
    p.heads = 4, p.kv_heads = 2;
    const tensors t = normal_tensors(&p, &state);
    double O[OUTPUTS], right[OUTPUTS];
    reference(&p, t.Q, t.K, t.V, right, NULL);
    run_version(v, &p, t, O, "heads");
    free_tensors(t);
    return largest_deviation(outputs(&p), O, right, NULL) <= 1e-3 ? NULL : "cause.heads";
}

/* perhaps it counts on zeros, or numbers, in O */
static const char *not_cleared(const version *v)
{
    double O[1] = {NAN};
    const problem p = simple_problem(1, 1, 1, 1, 1);
    run_version(v, &p, (tensors){(float[]){1}, (float[]){1}, (float[]){1}}, O, "NaN in O before");
    return isnan(O[0]) ? "cause.not_cleared" : NULL;
}

/* perhaps it keeps what it took */
static const char *leak(const version *v)
{
    double O[4];
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const problem p = simple_problem(2, 2, 2, 2, 2);
    counted_begin((size_t)-1);
    run_version(v, &p, (tensors){(float *)x, (float *)x, (float *)x}, O, "memory");
    return counted_held() ? SAY("cause.leak|%zu", counted_held()) : NULL;
}

const char *mistake_beyond_probes(const version *v)
{
    const char *hint = v->options ? wrong_heads(v) : NULL;
    if (!hint) hint = not_cleared(v);
    if (!hint) hint = wrong_at_the_end(v);
    if (!hint) hint = epsilon(v);
    if (!hint) hint = wrong_digits(v);
    return hint ? hint : leak(v);
}
