/* Between mistakes.c (the table of typical mistakes), wrong.c (what they give), probes.c (the inputs), signs.c (what
 * the results tell) and beyond.c (what they do not). */
#ifndef PROBES_H
#define PROBES_H

#include "../suites/expect.h"
#include <stdio.h>

/* An input: normal numbers, but for the first coordinate, which is 1 in every query and carries in the keys what is to
 * be added to the scores: shift + slope j, or special for key number at. */
typedef struct {
    size_t n, m, d, dv, block;
    float shift, slope, special, at;
    bool causal, turned; /* turned: the additions have the other sign in every second row */
    double allowed; /* relative to 1 + |result|; 0: 0.001 */
} probe;
enum { QUIET, WHOLE_BLOCKS, FALLING, RISING, ONE_BLOCK, FAR, PROBES = 23 };
enum { KERNEL = 5, OUTPUTS = 160, UNWRITTEN = 12345 }; /* the kernel's stage; of a probe; what O holds before */
extern const probe probes[PROBES];

typedef struct { double found[OUTPUTS], right[OUTPUTS]; bool is_right; } answer;

/* The kernel's tiles have 32 keys, and a thread has columns beyond the first 4 only if there are more than 16. */
probe for_version(const version *v, probe x);
problem set_up(const probe *x, tensors *t);
/* is v asked this one of the probes? */
bool asked(const version *v, const probe *x);
/* the results that v should give */
void right_results(const version *v, const problem *p, tensors t, double *O);
/* v on an input, into found and right; false if the two differ */
bool ask(const version *v, const probe *x, answer *a);
bool right_on(const version *v, probe x);
/* within the probe's tolerance, NaN and NaN being the same */
bool alike(double a, double b, double allowed);
bool same(const probe *x, const double *a, const double *b);

/* the key of a sentence with its arguments, until the next one */
enum { CODED = 256 };
extern char coded[CODED];
#define SAY(...) (snprintf(coded, CODED, __VA_ARGS__), coded)
const char *mistake_beyond_probes(const version *v); /* of one that is right on all of them; or NULL */

/* The table of typical mistakes: how many, the key of the sentence, what v would give if it made that one, and whether
 * row i sees no key then, or should see none. */
extern const size_t mistake_count;
const char *mistake_key(size_t which); /* of its sentence */
bool only_square(size_t which);        /* it would leave its arrays where the sizes are not all equal */
bool speaks_of_blocks(size_t which);   /* a version that takes rows whole cannot make it */
void wrong_attention(size_t which, const version *v, problem p, tensors t, double *O);
bool sees_none(size_t which, const problem *p, size_t i);

#endif
