/* See sentences.h. */
#include "sentences.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, LANGUAGE = 2 };
static const char folder[] = "tests/grading/sentences.";

static struct { char key[64], sentence[SENTENCE]; } table[MOST];
static size_t count;

static FILE *open_language(const char *language)
{
    char path[sizeof folder + LANGUAGE];
    if (!language || strlen(language) < LANGUAGE || strspn(language, "abcdefghijklmnopqrstuvwxyz") < LANGUAGE)
        return NULL;
    snprintf(path, sizeof path, "%s%.*s", folder, LANGUAGE, language);
    return fopen(path, "r");
}

/* lines "key: sentence"; others are comments */
static void load(FILE *f)
{
    char line[SENTENCE + 64];
    for (count = 0; count < MOST && fgets(line, sizeof line, f);)
        if (sscanf(line, "%63[a-z0-9_.]: %2047[^\n]", table[count].key, table[count].sentence) == 2) count++;
    fclose(f);
}

static void load_or_english(FILE *f)
{
    if (!f) f = open_language("en");
    if (!f) perror("tests/grading/sentences.en"), exit(2);
    load(f);
}

void say_in_english(void) { load_or_english(open_language(getenv("LANG_"))); }

static void load_reader_s(void)
{
    FILE *f = open_language(getenv("LANG_"));
    static const char *const locales[] = {"LC_ALL", "LC_MESSAGES", "LANG"}; /* the first that is set decides */
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !(locale && *locale); i++) locale = getenv(locales[i]);
    load_or_english(f ? f : open_language(locale));
}

const char *find_sentence(const char *key)
{
    if (!count) load_reader_s();
    for (size_t i = 0; i < count; i++)
        if (!strcmp(table[i].key, key)) return table[i].sentence;
    return NULL;
}

/* argument number n, from 1 on, of coded: where it starts, and its length; the last may hold any character */
static const char *argument(const char *coded, int n, bool last, size_t *length)
{
    while (coded && n--) coded = strchr(coded, '|'), coded += coded != NULL;
    *length = !coded ? 0 : last ? strlen(coded) : strcspn(coded, "|");
    return coded;
}

/* puts value, of that size, at the end of text; "@key" stands for the sentence of that key */
static void append(char text[SENTENCE], const char *value, size_t size)
{
    char key[64];
    const char *other = NULL;
    if (size && *value == '@' && size < sizeof key) {
        snprintf(key, sizeof key, "%.*s", (int)size - 1, value + 1);
        other = find_sentence(key);
    }
    const size_t length = strlen(text);
    if (other) snprintf(text + length, SENTENCE - length, "%s", other);
    else snprintf(text + length, SENTENCE - length, "%.*s", (int)size, value);
}

char *say(char text[SENTENCE], const char *coded)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(coded, "|"), coded);
    const char *from = find_sentence(key);
    if (!from) fprintf(stderr, "there is no sentence '%s'\n", key), exit(2);
    int last = 1;
    for (; last < 9 && strstr(from, (char[]){'{', (char)('1' + last), '}', 0}); last++) {}
    for (*text = 0; *from;) {
        size_t size;
        const bool place = from[0] == '{' && from[1] >= '1' && from[1] <= '9' && from[2] == '}';
        const char *value = place ? argument(coded, from[1] - '0', from[1] - '0' == last, &size) : NULL;
        append(text, value ? value : from, value ? size : 1);
        from += place ? 3 : 1;
    }
    return text;
}
