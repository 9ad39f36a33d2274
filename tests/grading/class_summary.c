/* What make grade says at the end. See class.h. */
#define _POSIX_C_SOURCE 200809L
#include "class.h"
#include "source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* the causes of a stage, the most frequent first */
static void print_causes(int stage)
{
    static char *causes[MOST_STUDENTS];
    static struct { int count; const char *text; } counted[MOST_STUDENTS];
    int found = 0, kinds = 0, handed = 0;
    for (int i = 0; i < student_count; i++) {
        char text[SENTENCE];
        const grade g = grade_of(students[i], stage);
        handed += handed_in(&g);
        if (handed_in(&g) && *why(&g, text)) causes[found++] = strdup(why(&g, text));
    }
    printf("  stage %s, handed in by %d of %d:\n", stages[stage].name, handed, student_count);
    qsort(causes, (size_t)found, sizeof *causes, by_text);
    for (int i = 0; i < found; i++)
        if (i && !strcmp(causes[i], causes[i - 1])) counted[kinds - 1].count++;
        else counted[kinds].count = 1, counted[kinds++].text = causes[i];
    for (int left = kinds; left > 0; left--) {
        int most = 0;
        for (int k = 1; k < kinds; k++)
            if (counted[k].count > counted[most].count) most = k;
        printf("%9d  %s\n", counted[most].count, counted[most].text);
        counted[most].count = 0;
    }
    for (int i = 0; i < found; i++) free(causes[i]);
}

/* files of different students that are the same but for comments and spacing */
static void print_identical(int stage)
{
    static char text[FILE_SIZE], code[FILE_SIZE], path[PATH];
    char **codes = calloc((size_t)student_count, sizeof *codes);
    bool *listed = calloc((size_t)student_count, sizeof *listed);
    for (int i = 0; i < student_count && codes; i++) {
        const int job = students[i]->of[stage].job;
        if (job < 0 || !strcmp(grade_of(students[i], stage).state, "untouched")) continue;
        snprintf(path, sizeof path, "%s/source", jobs[job].folder);
        read_file(path, text);
        if (bare_code(text, code, NULL)) codes[i] = strdup(code);
    }
    for (int i = 0; i < student_count && codes && listed; i++) {
        bool first = true;
        for (int k = i + 1; k < student_count && codes[i] && !listed[i]; k++) {
            if (!codes[k] || listed[k] || strcmp(codes[i], codes[k])) continue;
            if (first) printf("  stage %s: %s", stages[stage].name, students[i]->name);
            printf(", %s", students[k]->name);
            listed[k] = true, first = false;
        }
        if (!first) putchar('\n');
    }
    for (int i = 0; i < student_count && codes; i++) free(codes[i]);
    free(codes), free(listed);
}

void print_summary(void)
{
    puts("\nWhat went wrong, by how many:");
    for (int stage = 0; stage < stage_count; stage++) print_causes(stage);
    puts("\nThe same but for comments and spacing, for your eye, not judged:");
    for (int stage = 0; stage < stage_count; stage++) print_identical(stage);
    if (*unrecognised) printf("\nNot recognised:\n%s", unrecognised);
}
