/* Turns what a graded run left into a report: one line a property, points, the smallest input that failed, the cause.
 *
 *     build/report STAGE SOURCE FOLDER    the report; FOLDER/results gets the same for programs
 *     build/report --look STAGE SOURCE    before it is run: what becomes of the file, as it is written to FOLDER/state
 *
 * STAGE: a row of tests/grading/stages; SOURCE: the file that was graded. FOLDER holds state (a key of the sentences
 * state.*, with its arguments), output (what compiler and program said) and log (Check's, of tests/grading/graded.c).
 * results has lines "state TAB coded", "points TAB n TAB of", "property TAB key TAB n TAB of TAB detail",
 * "cause TAB coded" (see sentences.h). Exit status: 0 full points, 1 fewer, 2 error. */
#include "said.h"
#include "sentences.h"
#include "source.h"
#include "tables.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = SENTENCE, INDENT = 18 };

typedef struct {
    int stage;
    char state[TEXT];
    bool seen[MOST_PROPERTIES], failed[MOST_PROPERTIES];
    char what[MOST_PROPERTIES][TEXT]; /* of the first failure */
    char cause[TEXT];                 /* coded */
    int ended_early, parts, parts_right;
    gaps open;
} outcome;

/* ---- the log ---- */

/* what Check says of a process that was ended from outside: a key; NULL: the message is a test's own */
static const char *ended_how(const char *message)
{
    return strstr(message, "timeout") ? "crash.late" : strstr(message, "signal 9") ? "crash.killed"
         : strstr(message, "Received signal") ? "crash.signal" : strstr(message, "Early exit") ? "crash.exit" : NULL;
}

/* "version: input: crash.late" and Check's own words become sentences */
static void plain_words(const char *message, char words[TEXT])
{
    char sentence[SENTENCE];
    const char *how = ended_how(message), *key = strstr(message, "crash.");
    if (how) {
        say(words, how);
        return;
    }
    const char *after_name = strstr(message, ": ");
    if (after_name && strcspn(message, " ") > strcspn(message, ":") && after_name + 2 <= (key ? key : after_name + 2))
        message = after_name + 2;
    if (!key) snprintf(words, TEXT, "%s", message);
    else snprintf(words, TEXT, "%.*s%s", (int)(key - message), message, say(sentence, key));
}

/* does a cause say where to look, and no more? */
static bool is_vague(const char *cause)
{
    static const char *const vague[] = {"weights_sum", "larger", "equal_scores", "scores", "single_key", "blocks",
                                        "outside"};
    for (size_t i = 0; i < sizeof vague / sizeof *vague; i++) {
        const size_t length = strlen(vague[i]);
        if (!strncmp(cause, "cause.", 6) && !strncmp(cause + 6, vague[i], length) && strchr("|", cause[6 + length]))
            return true;
    }
    return !*cause;
}

static void note(outcome *o, const char *test, bool failed, const char *message)
{
    const bool names_cause = failed && !strncmp(message, "cause.", 6);
    const bool names_line = !strncmp(message, "cause.outside|", 14);
    if (names_cause && (!*o->cause || (names_line && is_vague(o->cause)))) snprintf(o->cause, TEXT, "%s", message);
    if (!strncmp(test, "part_", 5)) {
        o->parts++, o->parts_right += !failed;
        return;
    }
    bool known = false;
    for (int i = 0; i < property_count; i++)
        for (int k = 0; k < MOST_TESTS; k++) {
            if (strcmp(properties[i].tests[k], test)) continue;
            known = o->seen[i] = true;
            if (failed && !o->failed[i] && names_cause) say(o->what[i], message);
            else if (failed && !o->failed[i]) plain_words(message, o->what[i]);
            o->failed[i] |= failed;
        }
    if (known) return;
    fprintf(stderr, "report: the test %s belongs to no property\n", test);
    exit(2);
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, mode);
    if (!f && *mode == 'w') perror(path), exit(2);
    return f;
}

static void read_log(const char *folder, outcome *o)
{
    char line[2 * TEXT], result, test[128], message[TEXT];
    FILE *f = open_in(folder, "log", "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "ended early: %d", &o->ended_early);
        if (sscanf(line, "%*[^:]:%*d:%c:%*[^:]:%127[^:]:%*d: %2047[^\n]", &result, test, message) == 3)
            note(o, test, result != 'P', message);
    }
    if (f) fclose(f);
}

/* a test that a sanitizer ended says what the sanitizer said, and nothing is surer */
static void take_sanitizer_s_words(const char *folder, outcome *o)
{
    static const char *const ends[] = {"crash.exit", "crash.signal", "crash.c_library"};
    char words[TEXT], how[SENTENCE];
    if (!sanitizer_said(folder, words)) return;
    snprintf(o->cause, TEXT, "cause.sanitizer|%.2000s", words);
    for (int i = 0; i < property_count; i++)
        for (int k = 0; k < 3 && o->failed[i]; k++)
            if (strstr(o->what[i], say(how, ends[k]))) say(o->what[i], o->cause);
}

/* ---- the cause ---- */

static bool state_is(const outcome *o, const char *key)
{
    return !strncmp(o->state, key, strlen(key)) && !isalnum((unsigned char)o->state[strlen(key)]) &&
           o->state[strlen(key)] != '_';
}

static void cause_of_open_gaps(outcome *o)
{
    char places[TEXT] = "", place[SENTENCE], coded[128];
    for (int i = 0; i < o->open.open; i++) {
        snprintf(coded, sizeof coded, "cause.open_place|%d|%s", o->open.line[i], o->open.function[i]);
        const size_t length = strlen(places);
        snprintf(places + length, TEXT - length, "%s%s", i ? ", " : "", say(place, coded));
    }
    snprintf(o->cause, TEXT, "cause.open|%.*s", TEXT - 16, places);
}

/* a failed property's words that name how it ended: the cause where nothing better is known */
static void cause_of_failures(outcome *o)
{
    for (int i = 0; i < property_count && !*o->cause; i++) {
        char key[40], text[SENTENCE];
        if (!o->failed[i]) continue;
        for (int k = 0; k < 4; k++) {
            static const char *const crashes[] = {"crash.late", "crash.c_library", "crash.address", "crash.memory"};
            if (strstr(o->what[i], say(text, crashes[k]))) snprintf(o->cause, TEXT, "%s", crashes[k]);
        }
        snprintf(key, sizeof key, "hint.%.23s", properties[i].key);
        if (!*o->cause && find_sentence(key)) snprintf(o->cause, TEXT, "%s", key);
    }
}

static void find_cause(outcome *o, const char *folder)
{
    char error[TEXT];
    const char *arguments = strchr(o->state, '|');
    if (state_is(o, "compile") && error_said(folder, error))
        snprintf(o->cause, TEXT, "cause.compile|%.2000s", error);
    else if (state_is(o, "link") && error_said(folder, error)) snprintf(o->cause, TEXT, "cause.link|%.2000s", error);
    else if (state_is(o, "missing") || state_is(o, "other_stage") || state_is(o, "main") || state_is(o, "utf16"))
        snprintf(o->cause, TEXT, "cause.%.*s%.1900s", (int)strcspn(o->state, "|"), o->state,
                 arguments ? arguments : "");
    else if (o->open.stubs) cause_of_open_gaps(o);
    else if (o->ended_early) snprintf(o->cause, TEXT, "cause.exit");
    for (int i = 0; i < property_count && !o->open.stubs && !o->ended_early; i++)
        if (!strcmp(properties[i].key, "kernel") && o->failed[i])
            snprintf(o->cause, TEXT, "cause.kernel|%.2000s", o->what[i]);
    if (!*o->cause && o->open.open) cause_of_open_gaps(o);
    if (!*o->cause) cause_of_failures(o);
}

/* ---- the report ---- */

/* "input: row 0, column 1 is 2, expected 3": the input on one line, what was found on the next */
static void print_failure(const char *what)
{
    const char *row = strstr(what, ": row ");
    if (!row) printf("%*s%s\n", INDENT, "", what);
    else printf("%*s%.*s:\n%*s%s\n", INDENT, "", (int)(row - what), what, INDENT, "", row + 2);
}

static const char *in_words(const char *first, const char *rest, char text[SENTENCE])
{
    char coded[TEXT];
    snprintf(coded, sizeof coded, "%s%.2000s", first, rest);
    return say(text, coded);
}

static bool without_points(const property *p)
{
    for (int stage = 0; stage < stage_count; stage++)
        if (p->points[stage]) return false;
    return strcmp(p->key, "-");
}

static void print_property(const outcome *o, int i, int points, FILE *results)
{
    const property *p = &properties[i];
    char name[SENTENCE], row[SENTENCE], hint[40], coded[64];
    const int most = p->points[o->stage];
    const bool passed = points == most && o->seen[i] && !o->failed[i];
    snprintf(coded, sizeof coded, "frame.row|%d|%d", points, most);
    printf("  %s  %s  ", say(name, passed ? "frame.passed" : "frame.failed"), say(row, coded));
    printf("%s\n", in_words("property.", p->key, name));
    if (!passed && *o->what[i]) print_failure(o->what[i]);
    snprintf(hint, sizeof hint, "hint.%.23s", p->key);
    if (!passed && o->seen[i] && find_sentence(hint)) {
        char sentence[SENTENCE];
        printf("%*s%s\n", INDENT, "", in_words("frame.hint|", say(sentence, hint), name));
    }
    fprintf(results, "property\t%s\t%d\t%d\t%s\n", p->key, points, most, passed ? "" : o->what[i]);
}

/* lines that are right by themselves count, although the whole cannot be right yet */
static int points_of_parts(const outcome *o) { return o->parts ? o->parts_right * 5 : 0; }

/* with a full stop or a question mark? */
static bool ends(const char *sentence)
{
    static const char *const marks[] = {".", "?", "。", "？"};
    const size_t length = strlen(sentence);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t size = strlen(marks[i]);
        if (length >= size && !strcmp(sentence + length - size, marks[i])) return true;
    }
    return false;
}

static int print(const outcome *o, FILE *results)
{
    char text[SENTENCE], coded[64];
    const bool counts = state_is(o, "graded") || (state_is(o, "partly") && !o->parts);
    int sum = points_of_parts(o), of = most_points(o->stage);
    for (int i = 0; i < property_count; i++) {
        const property *p = &properties[i];
        const bool itself = !strcmp(p->key, "comment"); /* is asked of the text, whatever the code does */
        const bool passed = (counts || itself) && o->seen[i] && !o->failed[i] && !o->ended_early;
        if (p->points[o->stage] == 0 && !(o->failed[i] && without_points(p))) continue;
        print_property(o, i, passed ? p->points[o->stage] : 0, results);
        sum += passed ? p->points[o->stage] : 0;
    }
    if (o->parts) {
        snprintf(coded, sizeof coded, "frame.parts|%d|%d|%d", points_of_parts(o), o->parts_right, o->parts);
        printf("  %s\n", say(text, coded));
    }
    snprintf(coded, sizeof coded, "frame.points|%d|%d", sum, of);
    printf("  %s\n", say(text, coded));
    fprintf(results, "points\t%d\t%d\n", sum, of);
    if (*o->cause && sum < of) {
        char cause[SENTENCE];
        say(cause, o->cause);
        printf("\n%s", in_words("frame.cause|", cause, text));
        printf("%s\n", ends(cause) ? "" : say(text, "frame.stop"));
        fprintf(results, "cause\t%s\n", o->cause);
    }
    return sum < of;
}

/* what compiler and program said, the file by its own name */
static void print_output(const char *folder, const char *source)
{
    char line[TEXT];
    FILE *f = open_in(folder, "output", "r");
    for (int lines = 0; f && lines < 200 && fgets(line, sizeof line, f); lines++) {
        const char *rest = !strncmp(line, "student.c:", 10) ? line + 9
                         : !strncmp(line, "flash.cu:", 9)   ? line + 8 : NULL;
        printf("    %s%s", rest ? source : "", rest ? rest : line);
    }
    if (f) fclose(f);
}

static void read_state(const char *folder, outcome *o)
{
    FILE *f = open_in(folder, "state", "r");
    if (!f || !fgets(o->state, TEXT, f)) snprintf(o->state, TEXT, "graded");
    o->state[strcspn(o->state, "\n")] = 0;
    if (f) fclose(f);
}

static int report(int stage, const char *source, const char *folder)
{
    static outcome o;
    static char comment[FILE_SIZE];
    char text[SENTENCE], coded[TEXT], given[96];
    o.stage = stage;
    read_state(folder, &o);
    read_log(folder, &o);
    take_sanitizer_s_words(folder, &o);
    if (!state_is(&o, "none")) o.open = find_gaps(given_out(stage, given), source);
    if (!strcmp(stages[stage].name, "3") && read_file(source, comment))
        note(&o, "comment", !says_number_of_blocks(comment), "crash.no_answer");
    find_cause(&o, folder);
    const char *shown = getenv("SHOWN") ? getenv("SHOWN") : source;
    snprintf(coded, sizeof coded, "frame.stage|%s|%.1900s", stages[stage].name, shown);
    printf("%s\n", say(text, coded));
    print_output(folder, shown);
    if (!state_is(&o, "graded")) {
        char state[SENTENCE];
        in_words("state.", o.state, state);
        printf("  %s\n", in_words("frame.state|", state, text));
    }
    FILE *results = open_in(folder, "results", "w");
    fprintf(results, "state\t%s\n", o.state);
    const int status = print(&o, results);
    if (fclose(results)) return perror(folder), 2;
    return fflush(stdout) || ferror(stdout) ? 2 : status;
}

int main(int count, char **words)
{
    read_tables();
    char given[96];
    char text[SENTENCE];
    if (count == 3 && !strcmp(words[1], "--say")) return puts(say(text, words[2])) < 0;
    const bool looks = count == 4 && !strcmp(words[1], "--look");
    const int stage = count == 4 ? stage_named(words[1 + looks]) : -1;
    if (stage < 0) {
        fprintf(stderr, "usage: build/report STAGE SOURCE FOLDER | --look STAGE SOURCE | --say KEY|WORDS (STAGE: a row "
                        "of tests/grading/stages)\n");
        return 2;
    }
    if (looks) return puts(look(given_out(stage, given), words[3])) < 0;
    return report(stage, words[2], words[3]);
}
