/* See source.h. */
#include "source.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char gap_begins[] = "/* Your lines", gap_ends[] = "/* End of your lines */";
enum { AROUND = 40 }; /* characters of code before and behind a gap by which it is found */

size_t read_file(const char *path, char *text)
{
    FILE *f = fopen(path, "rb");
    const size_t length = f ? fread(text, 1, FILE_SIZE - 1, f) : 0;
    if (f) fclose(f);
    text[length] = 0;
    return length;
}

/* the first character of text that is no comment */
static const char *past_comment(const char *text, int *line)
{
    const char *end = text;
    if (text[0] == '/' && text[1] == '/') end = text + strcspn(text, "\n");
    else if (text[0] == '/' && text[1] == '*') {
        end = strstr(text + 2, "*/");
        end = end ? end + 2 : text + strlen(text);
    }
    for (; text < end; text++) *line += *text == '\n';
    return end;
}

size_t bare_code(const char *text, char *code, int *line)
{
    size_t length = 0;
    int now = 1;
    while (*text && length + 1 < FILE_SIZE) {
        const char *next = past_comment(text, &now);
        if (next != text) {
            text = next;
            continue;
        }
        now += *text == '\n';
        if (!isspace((unsigned char)*text)) {
            if (line) line[length] = now;
            code[length++] = *text;
        }
        text++;
    }
    code[length] = 0;
    return length;
}

/* the name of the function that is defined last before end */
static void function_before(const char *text, const char *end, char name[32])
{
    snprintf(name, 32, "?");
    for (const char *start = text; start < end; start += strcspn(start, "\n"), start += *start == '\n') {
        const char *bracket = start + strcspn(start, "(\n");
        if (!isalpha((unsigned char)*start) || *bracket != '(') continue;
        const char *first = bracket;
        while (first > start && (isalnum((unsigned char)first[-1]) || first[-1] == '_')) first--;
        if (bracket - first < 32) snprintf(name, 32, "%.*s", (int)(bracket - first), first);
    }
}

/* The code of [from, to) into code, without its comments; from may lie in none. */
static size_t code_between(const char *from, const char *to, char *code)
{
    static char part[FILE_SIZE];
    memcpy(part, from, (size_t)(to - from));
    part[to - from] = 0;
    return bare_code(part, code, NULL);
}

gaps find_gaps(const char *given, const char *file)
{
    static char exercise[FILE_SIZE], text[FILE_SIZE], code[FILE_SIZE], before[FILE_SIZE], after[FILE_SIZE];
    static char stub[FILE_SIZE];
    static int line[FILE_SIZE];
    gaps g = {0};
    read_file(given, exercise);
    read_file(file, text);
    bare_code(text, code, line);
    const char *end = exercise;
    for (const char *gap; g.count < MOST_GAPS && (gap = strstr(end, gap_begins)); g.count++) {
        if (!(end = strstr(gap, gap_ends))) break;
        end += strlen(gap_ends);
        const size_t length = code_between(exercise, gap, before), from = length > AROUND ? length - AROUND : 0;
        code_between(gap, end, stub);
        code_between(end, end + strlen(end), after);
        char wanted[4096];
        snprintf(wanted, sizeof wanted, "%.*s%.3000s%.*s", AROUND, before + from, stub, AROUND, after);
        const char *found = strstr(code, wanted);
        if (!found) continue;
        function_before(exercise, *stub ? gap + strlen(gap_begins) : gap, g.function[g.open]);
        if (gap[-1] == '\n') function_before(exercise, end, g.function[g.open]); /* the function is in the gap */
        g.stubs += *stub != 0;
        g.line[g.open++] = line[found - code + (ptrdiff_t)(length - from)];
    }
    return g;
}

/* the first comment of a file in small letters, one space between words */
static void first_comment(const char *text, char *comment, size_t size)
{
    size_t length = 0;
    for (char last = 0; *text && length + 1 < size && !(last == '*' && *text == '/'); last = *text++) {
        if (*text == '*') continue;
        if (!isspace((unsigned char)*text)) comment[length++] = (char)tolower((unsigned char)*text);
        else if (length && comment[length - 1] != ' ') comment[length++] = ' ';
    }
    comment[length] = 0;
}

bool says_number_of_blocks(const char *text)
{
    static const char *const answers[] = {
        "number of blocks", "count of blocks", "block count", "number of the blocks", "how many blocks", "m / block",
        "m/block", "for each block", "for every block", "per block", "each block", "as there are blocks",
        "many as blocks", "blocks in number", "块数", "块的数量", "块的个数", "多少块", "几块"};
    static const char *const denials[] = {"not ", "n't ", "never ", "instead of ", "rather than ", "unlike ", "不是"};
    char comment[1 << 13];
    first_comment(text, comment, sizeof comment);
    const char *sentence = strstr(comment, "add up to"), *end = sentence ? strstr(sentence, "to grade it") : NULL;
    if (!sentence) sentence = comment;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const char *answer = strstr(sentence, answers[i]);
        if (!answer || (end && answer > end)) continue;
        bool denied = false;
        for (size_t k = 0; k < sizeof denials / sizeof *denials; k++) {
            const char *denial = strstr(sentence, denials[k]);
            denied |= denial && denial < answer;
        }
        if (!denied) return true;
    }
    return false;
}

const char *look(const char *given, const char *path)
{
    static char text[FILE_SIZE], code[FILE_SIZE];
    const size_t length = read_file(path, text);
    if (length == FILE_SIZE - 1) return "large";
    if (memchr(text, 0, length) || (length > 1 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))))
        return "utf16";
    if (bare_code(text, code, NULL) == 0) return "empty";
    const gaps g = find_gaps(given, path);
    return g.count && g.open == g.count ? "untouched" : g.stubs ? "partly" : "graded";
}
