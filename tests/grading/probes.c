/* The small inputs on which a version is asked what its mistake may be. */
#include "probes.h"
#include "../suites/reference.h"
#include <math.h>

/* (blocks are odd: attention_flash then works in tiles) */
const probe probes[PROBES] = {
    [QUIET] = {3, 7, 6, 4, .block = 3}, [WHOLE_BLOCKS] = {3, 9, 6, 4, .block = 3},
    [FALLING] = {3, 9, 6, 4, 3, .slope = -3}, [RISING] = {3, 9, 6, 4, 3, .slope = 3},
    [ONE_BLOCK] = {3, 7, 6, 4, .block = 7},
    /* from here on: for versions without a limit to their scores */
    [FAR] = {3, 7, 6, 4, 3, .shift = 200}, {3, 7, 6, 4, 3, .shift = -200},
    {3, 7, 6, 4, 3, .shift = 20000, .allowed = 0.05}, {3, 7, 6, 4, 3, .shift = -20000, .allowed = 0.05},
    {3, 7, 6, 4, 3, .shift = 200, .turned = true}, {3, 7, 6, 4, 3, .shift = 60},
    {3, 7, 6, 4, 3, .shift = 95, .allowed = 0.02},
    {3, 7, 6, 4, 3, .slope = 20}, {3, 7, 6, 4, 3, .slope = -60}, {3, 7, 6, 4, 3, .slope = 60},
    {3, 7, 6, 4, 7, .slope = -60},
    {3, 7, 6, 4, 3, .special = NAN, .at = 4}, {3, 7, 6, 4, 3, .special = NAN, .at = 6},
    {3, 7, 6, 4, 3, .special = -INFINITY, .at = 4}, {3, 7, 6, 4, 1, .special = -INFINITY, .at = 0},
    /* and for those that mask */
    {4, 7, 6, 4, 3, .causal = true}, {7, 4, 6, 4, 3, .causal = true}, {6, 6, 6, 4, 3, .causal = true},
};
enum { TILE = 32 }; /* keys in a tile of the kernel */

probe for_version(const version *v, probe x)
{
    if (v->stage != KERNEL) return x;
    x.block = TILE;
    x.m *= 11, x.slope /= 11, x.at *= 11, x.d *= 8, x.dv *= 5;
    return x;
}

problem set_up(const probe *x, tensors *t)
{
    uint64_t state = 1;
    problem p = simple_problem(x->n, x->m, x->d, x->dv, x->block);
    p.causal = x->causal;
    *t = normal_tensors(&p, &state);
    for (size_t i = 0; i < p.n; i++) t->Q[i * p.d] = x->turned && i % 2 ? -1 : 1;
    for (size_t j = 0; j < p.m; j++) {
        const float added = x->special != 0 && (size_t)x->at == j ? x->special : x->shift + x->slope * (float)j;
        t->K[j * p.d] = added * sqrtf((float)p.d);
    }
    return p;
}

void right_results(const version *v, const problem *p, tensors t, double *O)
{
    if (v->wrong) blockwise_reference(p, t.Q, t.K, t.V, O);
    else reference(p, t.Q, t.K, t.V, O, NULL);
}

bool alike(double a, double b, double allowed)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed * (1 + fabs(b));
}
bool same(const probe *x, const double *a, const double *b)
{
    for (size_t i = 0; i < x->n * x->dv; i++)
        if (!alike(a[i], b[i], x->allowed > 0 ? x->allowed : 1e-3)) return false;
    return true;
}

bool asked(const version *v, const probe *x)
{
    return x->causal ? v->causal : x - probes < FAR || v->overflow == INFINITY;
}

bool ask(const version *v, const probe *x, answer *a)
{
    tensors t;
    const problem p = set_up(x, &t);
    for (size_t i = 0; i < OUTPUTS; i++) a->found[i] = UNWRITTEN;
    right_results(v, &p, t, a->right);
    run_version(v, &p, t, a->found, "a probe");
    free_tensors(t);
    return a->is_right = same(x, a->found, a->right);
}
bool right_on(const version *v, probe x)
{
    answer a;
    return ask(v, &x, &a);
}
