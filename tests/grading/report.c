/* Turns the log of a graded run into a report: one line a property, points, the smallest input that failed, a hint.
 *
 *     build/report [--results FILE] STAGE SOURCE LOG
 *
 * STAGE: 0 to 5, 4-flash, 4-merge; SOURCE: the file that was graded; LOG: Check's log of tests/grading/graded.c.
 * FILE gets the same for programs: lines "property TAB points TAB of TAB sentence" and "hint TAB sentence".
 * Exit status: 0 full points, 1 fewer, 2 error. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 6, TEXT = 1 << 11, INDENT = 18 };

static const char *const stages[] = {"0", "1", "2", "3", "4", "4-flash", "4-merge", "5"};
enum { STAGES = sizeof stages / sizeof *stages };

typedef struct {
    const char *sentence, *hint; /* hint: only where the results themselves do not tell the cause */
    int points[STAGES];          /* 0: not asked of that stage; all 0: said only if it failed */
    const char *tests[MOST_TESTS];
} property;

static const property properties[] = {
    {"equals the reference on random shapes", NULL, {5, 5, 3, 1, 3, 3, 0, 3},
     {"random_shapes_equal_the_reference", "spread_scores_equal_the_reference", "heads_and_batches_are_kept_apart"}},
    {"V of ones gives ones: the weights of a row add up to 1", NULL, {3, 3, 2, 0, 2, 2, 0, 2},
     {"values_of_one_give_one", "equal_values_around_a_block"}},
    {"V of ones gives ones, as long as there is one block", NULL, {0, 0, 0, 1, 0},
     {"values_of_one_give_one", "equal_values_around_a_block"}},
    {"V of ones gives the number of blocks: each block's weights add up to 1", NULL, {0, 0, 0, 3, 0},
     {"the_blockwise_bug_is_wrong"}},
    {"the result is the sum of what each block would give alone", NULL, {0, 0, 0, 4, 0},
     {"the_blockwise_bug_adds_its_blocks"}},
    {"the opening comment says what the weights of a row add up to",
     "complete the sentence in the comment: how many ones are added?", {0, 0, 0, 2, 0}, {"comment"}},
    {"the order of the keys does not matter", NULL, {2, 2, 2, 1, 2, 1, 0, 1}, {"order_of_keys_does_not_matter"}},
    {"a constant added to all scores does not matter", NULL, {2, 2, 3, 1, 3, 3, 0, 2},
     {"a_constant_added_to_all_scores_does_not_matter"}},
    {"a query picks the key it looks like", NULL, {2, 2, 1, 1, 1, 1, 0, 1},
     {"a_hot_row_picks_its_key", "ramp_of_64_keys"}},
    {"every size is right: no queries, no keys, every dimension, the scale", NULL, {2, 2, 1, 1, 1, 1, 0, 1},
     {"no_queries_or_no_values_write_nothing", "no_keys_give_zeros", "every_dimension_is_computed",
      "scale_comes_from_d"}},
    {"large and very negative scores are right",
     "the maximum starts at -INFINITY and is subtracted; the scaled score is rounded once, before that",
     {0, 0, 3, 1, 3, 2, 0, 1},
     {"very_negative_scores_are_right", "large_scores_are_right", "a_score_is_rounded_once",
      "values_near_the_end_of_float32"}},
    {"NaN and infinity reach the outputs that depend on them", NULL, {1, 1, 2, 1, 2, 1, 0, 1},
     {"nan_and_infinity_at_visible_places", "nan_or_infinity_under_a_weight_of_zero", "every_nan_stays_nan",
      "scores_of_minus_infinity_have_weight_zero", "undefined_softmax_is_nan"}},
    {"small inputs that others got wrong", NULL, {1, 1, 1, 1, 1, 1, 0, 1}, {"tiny_cases"}},
    {"refuses what it cannot do, and leaves O alone then",
     "return EINVAL, ENOMEM or EOVERFLOW before anything is written to O, and free what was allocated",
     {1, 1, 1, 1, 1, 1},
     {"invalid_arguments", "a_block_of_nothing", "no_memory", "impossible_sizes_are_refused"}},
    {"keeps no more storage than the lesson says", "what is allocated, how large, and is it needed?", {1, 1, 1, 1, 1},
     {"storage"}},
    {"causal: a row sees its keys and nothing behind the mask",
     "a term behind the mask is selected away: times 0 it would still be NaN if it is NaN or infinite",
     {0, 0, 0, 0, 0, 4, 0, 2},
     {"rows_that_see_no_key_are_zero", "masked_places_have_no_effect"}},
    {"two accounts merged are the account of all keys, wherever they are split", NULL, {[6] = 14},
     {"split_anywhere_and_merged_is_the_whole"}},
    {"merged accounts keep NaN and infinity, and an empty one changes nothing", NULL, {[6] = 6},
     {"merge_keeps_nan_and_infinity"}},
    {"no race, no missing barrier, nothing read before it is written",
     "a barrier stands between what one thread writes and another reads, and all threads reach it", {[7] = 5},
     {"no_report"}},
    {"more than 2^31 values", "an index is an int somewhere, or a product of sizes is kept in one: use size_t", {0},
     {"indices_beyond_2_31"}},
    {NULL, NULL, {0}, {"a_deviation_that_is_not_a_number_fails", "no_typical_mistake", "no_typical_mistake_in_merge"}},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

typedef struct {
    bool seen[PROPERTIES], failed[PROPERTIES];
    char what[PROPERTIES][TEXT]; /* of the first failure */
    char cause[TEXT];
    int ended_early;
} outcome;

/* what Check says of a process that was ended from outside, in plain words */
static const char *plain_words(const char *message)
{
    if (strstr(message, "timeout")) return "did not end in time";
    if (strstr(message, "signal 9")) return "was ended by the system: too much memory, or too long";
    if (strstr(message, "Received signal")) return "crashed";
    if (strstr(message, "Early exit")) return "ended the program (exit); it must return";
    const char *after_name = strstr(message, ": ");
    return after_name && strcspn(message, " ") > strcspn(message, ":") ? after_name + 2 : message;
}

static void note(outcome *o, const char *test, bool failed, const char *message)
{
    if (failed && !strncmp(test, "no_typical_mistake", 18)) { /* a hint, or a failure before one was found */
        const bool hint = !strstr(message, "a probe: ") && !strstr(message, "ENOSYS");
        snprintf(o->cause, TEXT, "%s", hint ? message : plain_words(message));
    }
    bool known = false;
    for (int i = 0; i < PROPERTIES; i++)
        for (int k = 0; k < MOST_TESTS && properties[i].tests[k]; k++) {
            if (strcmp(properties[i].tests[k], test)) continue;
            known = o->seen[i] = true;
            if (failed && !o->failed[i]) snprintf(o->what[i], TEXT, "%s", plain_words(message));
            o->failed[i] |= failed;
        }
    if (known) return;
    fprintf(stderr, "report: the test %s belongs to no property\n", test);
    exit(2);
}

static FILE *open_or_end(const char *path, const char *mode)
{
    FILE *f = fopen(path, mode);
    if (f) return f;
    perror(path);
    exit(2);
}

static void read_log(const char *path, outcome *o)
{
    char line[2 * TEXT], result, test[128], message[TEXT];
    FILE *f = open_or_end(path, "r");
    while (fgets(line, sizeof line, f)) {
        sscanf(line, "ended early: %d", &o->ended_early);
        if (sscanf(line, "%*[^:]:%*d:%c:%*[^:]:%127[^:]:%*d: %2047[^\n]", &result, test, message) == 3)
            note(o, test, result != 'P', message);
    }
    fclose(f);
}

/* Does the first comment of the file say that the weights add up to the number of blocks? */
static void read_comment(const char *path, outcome *o)
{
    static const char *const answers[] = {"number of blocks", "count of blocks", "how many blocks", "m / block"};
    char text[1 << 13] = "";
    size_t length = 0;
    FILE *f = open_or_end(path, "r");
    for (int c, last = 0; (c = fgetc(f)) != EOF && length + 1 < sizeof text; last = c) {
        if (last == '*' && c == '/') break;
        if (c == '*') continue;
        if (!isspace(c)) text[length++] = (char)tolower(c);
        else if (length && text[length - 1] != ' ') text[length++] = ' ';
    }
    fclose(f);
    bool found = false;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) found |= strstr(text, answers[i]) != NULL;
    note(o, "comment", !found, "there is no answer yet");
}

/* "input: row 0, column 1 is 2, expected 3": the input on one line, what was found on the next */
static void print_failure(const char *what)
{
    const char *row = strstr(what, ": row ");
    if (!row) printf("%*s%s\n", INDENT, "", what);
    else printf("%*s%.*s:\n%*s%s\n", INDENT, "", (int)(row - what), what, INDENT, "", row + 2);
}

static bool without_points(const property *p)
{
    for (int stage = 0; stage < STAGES; stage++)
        if (p->points[stage]) return false;
    return p->sentence != NULL;
}

static int print(const outcome *o, int stage, FILE *results)
{
    int sum = 0, of = 0;
    const char *hint = NULL;
    for (int i = 0; i < PROPERTIES; i++) {
        const property *p = &properties[i];
        const bool passed = o->seen[i] && !o->failed[i] && !o->ended_early;
        const int most = p->points[stage], points = passed ? most : 0;
        if (most == 0 && !(o->failed[i] && without_points(p))) continue;
        sum += points, of += most;
        printf("  %s  %d of %d  %s\n", passed ? "passed" : "FAILED", points, most, p->sentence);
        if (!passed && *o->what[i]) print_failure(o->what[i]);
        if (!passed && p->hint && o->seen[i]) {
            printf("%*shint: %s\n", INDENT, "", p->hint);
            if (!hint) hint = p->hint;
        }
        if (results) fprintf(results, "property\t%d\t%d\t%s\n", points, most, p->sentence);
    }
    printf("  %d of %d points\n", sum, of);
    const char *cause = o->ended_early ? "the program was ended from inside (exit) in some tests: a function returns"
                                       : o->cause;
    if (*cause && sum < of) printf("\nLikely cause: %s%s\n", cause, strchr("?.", cause[strlen(cause) - 1]) ? "" : ".");
    if (*cause) hint = cause;
    if (hint && sum < of && results) fprintf(results, "hint\t%s\n", hint);
    return sum == of ? 0 : 1;
}

int main(int count, char **words)
{
    const char *path = NULL;
    if (count == 6 && !strcmp(words[1], "--results")) path = words[2], words += 2, count -= 2;
    int stage = 0;
    while (stage < STAGES && count == 4 && strcmp(words[1], stages[stage])) stage++;
    if (stage == STAGES || count != 4) {
        fprintf(stderr, "usage: build/report [--results FILE] STAGE SOURCE LOG (STAGE: 0 to 5, 4-flash or 4-merge)\n");
        return 2;
    }
    static outcome o;
    read_log(words[3], &o);
    if (stage == 3) read_comment(words[2], &o);
    FILE *results = path ? open_or_end(path, "w") : NULL;
    const int status = print(&o, stage, results);
    if (results && fclose(results)) return perror(path), 2;
    return status;
}
