/* See said.h. */
#include "said.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_output(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/output", folder);
    return fopen(path, "r");
}

bool error_said(const char *folder, char words[WORDS])
{
    char line[WORDS];
    FILE *f = open_output(folder);
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "error:");
        if (!at) at = strstr(line, "undefined reference");
        if (!at || strstr(line, "runtime error:")) continue;
        const char *name = strstr(line, "student.c:");
        if (!name) name = strstr(line, "flash.cu:");
        line[strcspn(line, "\n")] = 0;
        snprintf(words, WORDS, "%s", name ? name + strcspn(name, ":") + 1 : at);
        found = true;
    }
    if (f) fclose(f);
    return found;
}

/* UndefinedBehaviorSanitizer: "student.c:55:70: runtime error: WORDS"; AddressSanitizer: "ERROR: AddressSanitizer: WORD
 * on address ...", and its first place of the file some lines below */
bool sanitizer_said(const char *folder, char words[WORDS])
{
    static const char undefined[] = "runtime error: ", address[] = "ERROR: AddressSanitizer: ", name[] = "student.c:";
    char line[WORDS], kind[256] = "";
    FILE *f = open_output(folder);
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, address), *place = strstr(line, name), *error = strstr(line, undefined);
        if (at && !*kind) snprintf(kind, sizeof kind, "%.*s", (int)strcspn(at + sizeof address - 1, " \n"),
                                   at + sizeof address - 1);
        if (!place || !(error || *kind)) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(words, WORDS, ": line %d, %.1900s", atoi(place + sizeof name - 1),
                 error ? error + sizeof undefined - 1 : kind);
        found = true;
    }
    if (f) fclose(f);
    return found;
}
