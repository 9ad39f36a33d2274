/* Recognises typical mistakes in the merge of two accounts by what they make of a few accounts. */
#include "../../04_online_softmax/common.h"
#include "mistakes.h"
#include <stdio.h>
#include <string.h>

enum { DV = 2, ACCOUNT = DV + 2, CASES = 4 };

/* what an account's sum or values are multiplied by */
enum { RIGHT, NONE, SWAPPED, TURNED, DROPPED, FACTORS };
static const char *const factors[] = {
    [NONE] = "none", [SWAPPED] = "swapped", [TURNED] = "turned", [DROPPED] = "dropped",
};

static const float cases[CASES][2][ACCOUNT] = {
    {{1, 2, 3, 5}, {2.5f, 1.5f, -1, 4}}, {{2.5f, 1.5f, -1, 4}, {1, 2, 3, 5}}, {{1, 2, 3, 5}, {1, 1, 7, 2}},
    {{-3, 1, 2, 3}, {0.5f, 2, 2, 1}}};

static float times_factor(int factor, float x, float own, float other)
{
    const float max = own > other ? own : other;
    const float by[FACTORS] = {expf(own - max), 1, expf(other - max), expf(max - own), 0};
    return x * by[factor];
}

/* Is entry c of all merged accounts what these two factors make of it? */
static bool fits(const float found[CASES][ACCOUNT], size_t c, int mine, int theirs)
{
    for (size_t i = 0; i < CASES; i++) {
        const float *a = cases[i][0], *b = cases[i][1];
        const float expected = times_factor(mine, a[c], a[MAXIMUM], b[MAXIMUM]) +
                               times_factor(theirs, b[c], b[MAXIMUM], a[MAXIMUM]);
        if (!(fabsf(found[i][c] - expected) <= 1e-5f * (1 + fabsf(expected)))) return false;
    }
    return true;
}

static const char *of_entry(const float found[CASES][ACCOUNT], size_t c, const char *name)
{
    static char sentence[256];
    for (int mine = 0; mine < FACTORS; mine++)
        for (int theirs = 0; theirs < FACTORS; theirs++) {
            if (!fits(found, c, mine, theirs)) continue;
            if (mine == RIGHT && theirs == RIGHT) return NULL;
            const char *whose = mine == theirs ? "both" : mine ? "first" : "other";
            snprintf(sentence, sizeof sentence, "cause.merge_%s|@word.%s|@word.%s", factors[mine ? mine : theirs], name,
                     whose);
            return sentence;
        }
    snprintf(sentence, sizeof sentence, "cause.merge_entry|@word.%s", name);
    return sentence;
}

/* an account that has seen nothing, or only scores of -inf, changes nothing */
static const char *of_empty_accounts(void)
{
    float a[ACCOUNT] = {-INFINITY, 0, 0, 0}, b[ACCOUNT] = {1, 2, 3, 5}, c[ACCOUNT] = {-INFINITY, 0, 0, 0};
    const float none[ACCOUNT] = {-INFINITY, 0, 0, 0};
    merge(DV, a, b);
    merge(DV, b, none);
    merge(DV, c, none);
    if (isnan(c[SUM]) || isnan(a[SUM]) || isnan(b[SUM]))
        return "cause.merge_empties";
    if (a[SUM] != 2 || b[SUM] != 2 || c[SUM] != 0) return "cause.merge_empty";
    return NULL;
}

static const char *of_nan(void)
{
    float a[ACCOUNT] = {1, 2, 3, 5}, b[ACCOUNT] = {1, NAN, NAN, NAN}, c[ACCOUNT] = {1, 2, 3, 5};
    const float far[ACCOUNT] = {-300, 1, INFINITY, 0};
    merge(DV, a, b);
    merge(DV, c, far);
    if (!isnan(a[SUM]) || !isnan(a[VALUES])) return "cause.merge_nan";
    if (isnan(c[VALUES])) return NULL;
    return "cause.merge_left_out";
}

const char *likely_merge_mistake(void)
{
    float found[CASES][ACCOUNT];
    bool kept = true, untouched = true;
    for (size_t i = 0; i < CASES; i++) {
        const float *a = cases[i][0], *b = cases[i][1];
        memcpy(found[i], a, sizeof found[i]);
        merge(DV, found[i], b);
        kept &= found[i][MAXIMUM] == fmaxf(a[MAXIMUM], b[MAXIMUM]);
        untouched &= !memcmp(found[i], a, sizeof found[i]);
    }
    if (untouched) return "cause.merge_untouched";
    if (!kept) return "cause.merge_max";
    const char *hint = of_entry(found, SUM, "sum");
    if (!hint) hint = of_entry(found, VALUES, "values");
    if (!hint && of_entry(found, VALUES + DV - 1, "values")) hint = "cause.merge_last_column";
    if (!hint) hint = of_empty_accounts();
    return hint ? hint : of_nan();
}
