/* See class.h. */
#define _POSIX_C_SOURCE 200809L
#include "class.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

/* ---- a grade ---- */

static void read_results(const char *folder, grade *g)
{
    char path[PATH], line[2 * SENTENCE];
    snprintf(path, sizeof path, "%s/results", folder);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "state\t%2047[^\n]", g->state) == 1) continue;
        if (sscanf(line, "cause\t%2047[^\n]", g->cause) == 1) continue;
        if (sscanf(line, "points\t%d\t%d", &g->points, &g->of) == 2 || g->count == MOST_PROPERTIES) continue;
        if (sscanf(line, "property\t%23s\t%d\t%d\t%511[^\n]", g->properties[g->count].key,
                   &g->properties[g->count].points, &g->properties[g->count].of,
                   g->properties[g->count].detail) >= 3) g->count++;
    }
    if (f) fclose(f);
}

grade grade_of(const student *s, int stage)
{
    grade g = {.of = most_points(stage)};
    if (s->of[stage].job >= 0) {
        read_results(jobs[s->of[stage].job].folder, &g);
        return g;
    }
    snprintf(g.state, sizeof g.state, "%s", s->of[stage].state);
    for (int i = 0; i < property_count; i++) {
        if (!properties[i].points[stage]) continue;
        snprintf(g.properties[g.count].key, sizeof g.properties[0].key, "%s", properties[i].key);
        g.properties[g.count++].of = properties[i].points[stage];
    }
    return g;
}

static const char *with(const char *first, const char *rest, char text[SENTENCE])
{
    char coded[SENTENCE];
    snprintf(coded, sizeof coded, "%s%.2000s", first, rest);
    return say(text, coded);
}

const char *why(const grade *g, char text[SENTENCE])
{
    if (*g->cause) return say(text, g->cause);
    if (!strcmp(g->state, "graded")) return "";
    return with("state.", g->state, text);
}

/* ---- files that are replaced when they are whole ---- */

static FILE *begin(const char *path, char new_path[PATH])
{
    struct stat is;
    const bool replaced = lstat(path, &is) || S_ISREG(is.st_mode); /* else it is written as it is: /dev/stdout */
    snprintf(new_path, PATH, replaced ? "%s.new" : "%s", path);
    FILE *f = fopen(new_path, "w");
    if (!f) fprintf(stderr, "grade: '%s' cannot be written: %s\n", path, strerror(errno));
    return f;
}

static int end(FILE *f, const char *path, const char *new_path)
{
    const bool failed = ferror(f) != 0;
    if ((fclose(f) || failed) || (strcmp(path, new_path) && rename(new_path, path))) {
        fprintf(stderr, "grade: '%s' could not be written whole and stays as it was: is the disk full?\n", path);
        if (strcmp(path, new_path)) remove(new_path);
        return -1;
    }
    return 0;
}

/* ---- comma-separated ---- */

/* a cell; what a spreadsheet would take for a formula begins with ' */
static void cell(FILE *f, const char *text)
{
    fputs(strchr("=+-@\t\r", *text) && *text ? "\"'" : "\"", f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void heading(FILE *f, bool wide)
{
    int most = 0;
    for (int i = 0; i < stage_count; i++) most += most_points(i);
    fprintf(f, "\"student\",\"points of %d\"", most);
    for (int i = 0; i < stage_count; i++) {
        fprintf(f, ",\"%s: points of %d\",\"%s: likely cause\"", stages[i].name, most_points(i), stages[i].name);
        if (wide) fprintf(f, ",\"%s: state\"", stages[i].name);
        for (int k = 0; k < property_count && wide; k++) {
            char text[SENTENCE], title[SENTENCE + 32];
            if (!properties[k].points[i]) continue;
            snprintf(title, sizeof title, "%.15s: %s (%d)", stages[i].name, with("property.", properties[k].key, text),
                     properties[k].points[i]);
            fputc(',', f), cell(f, title);
        }
    }
    fputc('\n', f);
}

static void row(FILE *f, const student *s, bool wide)
{
    char text[SENTENCE];
    int sum = 0;
    for (int i = 0; i < stage_count; i++) sum += grade_of(s, i).points;
    cell(f, s->name);
    fprintf(f, ",%d", sum);
    for (int i = 0; i < stage_count; i++) {
        const grade g = grade_of(s, i);
        fprintf(f, ",%d,", g.points);
        cell(f, why(&g, text));
        if (wide) fputc(',', f), cell(f, with("state.", g.state, text));
        for (int k = 0; k < property_count && wide; k++) {
            int points = 0;
            if (!properties[k].points[i]) continue;
            for (int n = 0; n < g.count; n++)
                if (!strcmp(g.properties[n].key, properties[k].key)) points = g.properties[n].points;
            fprintf(f, ",%d", points);
        }
    }
    fputc('\n', f);
}

static int write_csv(const char *path, bool wide)
{
    char new_path[PATH];
    FILE *f = begin(path, new_path);
    if (!f) return -1;
    heading(f, wide);
    for (int i = 0; i < student_count; i++)
        if (is_done(students[i])) row(f, students[i], wide);
    return end(f, path, new_path);
}

/* ---- JUnit and TAP ---- */

static void xml(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '&') fputs("&amp;", f);
        else if (*text == '<') fputs("&lt;", f);
        else if (*text == '>') fputs("&gt;", f);
        else if (*text == '"') fputs("&quot;", f);
        else if ((unsigned char)*text >= ' ') fputc(*text, f);
}

bool handed_in(const grade *g) { return strcmp(g->state, "none") != 0; }

static int failures(const grade *g)
{
    int count = 0;
    for (int i = 0; i < g->count && handed_in(g); i++) count += g->properties[i].points < g->properties[i].of;
    return count;
}

static void junit_suite(FILE *f, const student *s, int stage)
{
    char text[SENTENCE];
    const grade g = grade_of(s, stage);
    fputs("  <testsuite name=\"", f), xml(f, s->name);
    fprintf(f, ", stage %s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", stages[stage].name, g.count, failures(&g),
            handed_in(&g) ? 0 : g.count);
    for (int i = 0; i < g.count; i++) {
        fprintf(f, "    <testcase classname=\"stage %s\" name=\"", stages[stage].name);
        xml(f, with("property.", g.properties[i].key, text));
        if (!handed_in(&g)) fputs("\"><skipped message=\"was not handed in\"/></testcase>\n", f);
        else if (g.properties[i].points == g.properties[i].of) fputs("\"/>\n", f);
        else {
            fprintf(f, "\"><failure message=\"%d of %d points; ", g.properties[i].points, g.properties[i].of);
            xml(f, why(&g, text)), fputs("\">", f), xml(f, g.properties[i].detail), fputs("</failure></testcase>\n", f);
        }
    }
    fputs("  </testsuite>\n", f);
}

static int write_junit(const char *path)
{
    char new_path[PATH];
    int tests = 0, failed = 0, skipped = 0;
    FILE *f = begin(path, new_path);
    if (!f) return -1;
    for (int i = 0; i < student_count; i++)
        for (int stage = 0; stage < stage_count && is_done(students[i]); stage++) {
            const grade g = grade_of(students[i], stage);
            tests += g.count, failed += failures(&g), skipped += handed_in(&g) ? 0 : g.count;
        }
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n",
            tests, failed, skipped);
    for (int i = 0; i < student_count; i++)
        for (int stage = 0; stage < stage_count && is_done(students[i]); stage++) junit_suite(f, students[i], stage);
    fputs("</testsuites>\n", f);
    return end(f, path, new_path);
}

static void tap(FILE *f, const student *s, int stage)
{
    char text[SENTENCE];
    const grade g = grade_of(s, stage);
    if (!handed_in(&g)) {
        fputs("1..0 # SKIP was not handed in\n", f);
        return;
    }
    fprintf(f, "1..%d\n", g.count);
    for (int i = 0; i < g.count; i++) {
        const bool passed = g.properties[i].points == g.properties[i].of;
        fprintf(f, "%s %d - %s\n", passed ? "ok" : "not ok", i + 1, with("property.", g.properties[i].key, text));
        if (!passed && *g.properties[i].detail) fprintf(f, "# %s\n", g.properties[i].detail);
    }
    if (g.points < g.of) fprintf(f, "# %s\n", why(&g, text));
}

/* ---- a text for every student ---- */

static void copy_text(FILE *f, const char *folder, const char *name)
{
    char path[PATH], line[SENTENCE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *from = fopen(path, "r");
    while (from && fgets(line, sizeof line, from)) fputs(line, f);
    if (from) fclose(from);
}

static void plain_feedback(FILE *f, const student *s, int stage)
{
    char text[SENTENCE];
    const grade g = grade_of(s, stage);
    if (s->of[stage].job >= 0) copy_text(f, jobs[s->of[stage].job].folder, "report");
    else fprintf(f, "Stage %s: the file %s.\n", stages[stage].name, with("state.", g.state, text));
    fputc('\n', f);
}

static void markdown_feedback(FILE *f, const student *s, int stage)
{
    char text[SENTENCE];
    const grade g = grade_of(s, stage);
    fprintf(f, "## Stage %s: %d of %d points\n\n", stages[stage].name, g.points, g.of);
    if (strcmp(g.state, "graded")) fprintf(f, "The file %s.\n\n", with("state.", g.state, text));
    if (*g.cause) fprintf(f, "**Likely cause**: %s\n\n", say(text, g.cause));
    for (int i = 0; i < g.count && handed_in(&g); i++) {
        fprintf(f, "- %d of %d: %s\n", g.properties[i].points, g.properties[i].of,
                with("property.", g.properties[i].key, text));
        if (*g.properties[i].detail) fprintf(f, "  `%s`\n", g.properties[i].detail);
    }
    if (!strncmp(g.state, "compile", 7) || !strncmp(g.state, "link", 4)) {
        fputs("\n```\n", f);
        copy_text(f, jobs[s->of[stage].job].folder, "output");
        fputs("```\n", f);
    }
    fputc('\n', f);
}

static int write_feedback(const char *folder, const student *s, bool markdown)
{
    char path[PATH], new_path[PATH];
    snprintf(path, sizeof path, "%s/%s.%s", folder, s->name, markdown ? "md" : "txt");
    FILE *f = begin(path, new_path);
    if (!f) return -1;
    if (markdown) fprintf(f, "# %s\n\n", s->name);
    for (int stage = 0; stage < stage_count; stage++)
        if (markdown) markdown_feedback(f, s, stage);
        else plain_feedback(f, s, stage);
    return end(f, path, new_path);
}

static int write_tap(const char *folder, const student *s)
{
    int status = 0;
    for (int stage = 0; stage < stage_count; stage++) {
        char path[PATH], new_path[PATH];
        snprintf(path, sizeof path, "%s/%s-stage-%s.tap", folder, s->name, stages[stage].name);
        FILE *f = begin(path, new_path);
        if (!f) return -1;
        tap(f, s, stage);
        status |= end(f, path, new_path);
    }
    return status;
}

static const char *asked(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

int write_tables(const char *out)
{
    static bool told[MOST_STUDENTS]; /* whose texts are written */
    const char *wide = asked("WIDE"), *junit = asked("JUNIT"), *tap_folder = asked("TAP");
    const char *feedback = asked("FEEDBACK");
    int status = write_csv(out, false);
    if (wide) status |= write_csv(wide, true);
    if (junit) status |= write_junit(junit);
    if (tap_folder) mkdir(tap_folder, 0777);
    if (feedback) mkdir(feedback, 0777);
    for (int i = 0; i < student_count && status == 0; i++) {
        if (told[i] || !is_done(students[i])) continue;
        if (tap_folder) status |= write_tap(tap_folder, students[i]);
        for (int markdown = 0; markdown < 2 && feedback; markdown++)
            status |= write_feedback(feedback, students[i], markdown);
        told[i] = status == 0;
    }
    return status;
}
