/* See tables.h. */
#include "tables.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stage_row stages[MOST_STAGES];
property properties[MOST_PROPERTIES];
int stage_count, property_count;

static const char stages_file[] = "tests/grading/stages", points_file[] = "tests/grading/points";

static void refuse(const char *file, const char *line)
{
    fprintf(stderr, "%s: not understood: %s\n", file, line);
    exit(2);
}

static FILE *open_or_end(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) perror(path), exit(2);
    return f;
}

static void read_stages(void)
{
    char line[256];
    FILE *f = open_or_end(stages_file);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#') continue;
        stage_row *s = &stages[stage_count];
        if (stage_count == MOST_STAGES ||
            sscanf(line, "%15s %63s %31s %23s", s->name, s->file, s->hints, s->asked) != 4)
            refuse(stages_file, line);
        stage_count++;
    }
    fclose(f);
}

/* the heading names the stages: which column belongs to which? */
static int read_heading(char *line, int columns[MOST_STAGES])
{
    int count = 0;
    strtok(line, " \n"), strtok(NULL, " \n"); /* "# property" */
    for (char *word; (word = strtok(NULL, " \n")) && strcmp(word, "tests"); count++) {
        if (count == MOST_STAGES || stage_named(word) < 0) refuse(points_file, word);
        columns[count] = stage_named(word);
    }
    return count;
}

static void read_property(char *line, int count, const int columns[])
{
    if (property_count == MOST_PROPERTIES) refuse(points_file, line);
    property *p = &properties[property_count++];
    char *word = strtok(line, " \n");
    if (!word) refuse(points_file, "an empty line");
    snprintf(p->key, sizeof p->key, "%s", word);
    for (int i = 0; i < count; i++) {
        if (!(word = strtok(NULL, " \n"))) refuse(points_file, p->key);
        p->points[columns[i]] = atoi(word);
    }
    for (int i = 0; (word = strtok(NULL, " \n")); i++) {
        if (i == MOST_TESTS) refuse(points_file, word);
        snprintf(p->tests[i], sizeof p->tests[i], "%s", word);
    }
}

void read_tables(void)
{
    char line[512];
    int columns[MOST_STAGES], count = 0;
    read_stages();
    FILE *f = open_or_end(points_file);
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "# property ", 11)) count = read_heading(line, columns);
        else if (*line != '#') read_property(line, count, columns);
    }
    fclose(f);
    if (count != stage_count) refuse(points_file, "it has not a column for every stage");
}

int stage_named(const char *name)
{
    for (int i = 0; i < stage_count; i++)
        if (!strcmp(stages[i].name, name)) return i;
    return -1;
}

int most_points(int stage)
{
    int sum = 0;
    for (int i = 0; i < property_count; i++) sum += properties[i].points[stage];
    return sum;
}

char *given_out(int stage, char path[96])
{
    const char *file = stages[stage].file, *name = strrchr(file, '/');
    snprintf(path, 96, "%.*s/exercise%s", (int)(name - file), file, name);
    return path;
}
