/* The ledger's command line. */
#include "ledger.h"
#include "../suites/article.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: build/ledger [--hot F] [--block B] [--causal] [--scale S] [--versions A-B] [--csv FILE] [--out DIR]\n"
    "                    [Q.npy K.npy V.npy]\n"
    "  --hot F         Q and K times F (without it and without files: F = 1, then F = 10)\n"
    "  --block B       keys in a block, at least 1 (16)\n"
    "  --causal        query i sees key j when j <= i + m - n; only versions that know it\n"
    "  --scale S       scores times S instead of 1 / sqrt(d); only versions that know it\n"
    "  --versions A-B  only versions A to B; --versions A: only A\n"
    "  --csv FILE      the rows also as comma-separated values\n"
    "  --out DIR       every version's result as DIR/O_<name>.npy (of the first F)";

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("ledger: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(stdout);
    _Exit(2); /* and not exit: what is still allocated is no leak */
}

static double number(const char *option, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) fail("%s takes a finite number, not '%s'\n%s", option, text, usage);
    if (fabs(x) > FLT_MAX) fail("%s is computed in float32, which ends at 3.4e38: '%s' is beyond", option, text);
    return x;
}

/* a whole number from least on */
static long whole(const char *option, const char *text, long least, char **end)
{
    errno = 0;
    const long x = strtol(text, end, 10);
    if (*end == text || errno || x < least)
        fail("%s takes a whole number, %ld or more, not '%s'\n%s", option, least, text, usage);
    return x;
}

static void parse_versions(options *o, const char *text)
{
    char *end;
    o->first = o->last = whole("--versions", text, 0, &end);
    if (*end == '-') o->last = whole("--versions", end + 1, o->first, &end);
    if (*end) fail("--versions takes A or A-B, not '%s'\n%s", text, usage);
}

static void parse_option(options *o, const char *name, const char *text)
{
    static const char *const names[] = {"--hot", "--block", "--scale", "--versions", "--csv", "--out"};
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) known |= !strcmp(name, names[i]);
    if (!known) fail("there is no option '%s'\n%s", name, usage);
    if (!text) fail("%s needs a value after it\n%s", name, usage);
    char *end = "";
    if (!strcmp(name, "--hot")) o->hot = number(name, text), o->one_heat = true;
    else if (!strcmp(name, "--block")) o->block = (size_t)whole(name, text, 1, &end);
    else if (!strcmp(name, "--scale")) o->scale = number(name, text), o->scaled = true;
    else if (!strcmp(name, "--versions")) parse_versions(o, text);
    else if (!strcmp(name, "--csv")) o->csv = text;
    else o->out = text;
    if (*end) fail("%s takes a whole number, not '%s'\n%s", name, text, usage);
}

options read_options(int argc, char **argv)
{
    options o = {.hot = 1, .block = ARTICLE_BLOCK, .last = 99};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) puts(usage), exit(0);
        if (!strcmp(argv[i], "--causal")) o.causal = true;
        else if (!strncmp(argv[i], "--", 2)) {
            parse_option(&o, argv[i], argv[i + 1]), i++; /* argv ends with NULL */
        } else if (o.file_count == 3) fail("three files are taken, Q.npy K.npy V.npy, and '%s' is one more", argv[i]);
        else o.files[o.file_count++] = argv[i];
    }
    if (o.file_count % 3) fail("three files are taken, Q.npy K.npy V.npy, not %d", o.file_count);
    if (o.file_count) o.one_heat = true;
    return o;
}
