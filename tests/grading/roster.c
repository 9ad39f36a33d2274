/* See roster.h. Everything is opened from the folder above it, and never by way of a link. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "roster.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, LISTED = 10 };

student *students[MOST_STUDENTS];
int student_count;
char unrecognised[1 << 16];

typedef struct { char **names; int count; } listing;

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* the entries of a folder but for hidden ones, sorted; the descriptor stays open */
static listing list(int folder)
{
    listing l = {0};
    DIR *d = fdopendir(dup(folder));
    for (struct dirent *e; d && (e = readdir(d));) {
        char **more = *e->d_name == '.' ? NULL : realloc(l.names, (size_t)(l.count + 1) * sizeof *l.names);
        if (more) l.names = more, l.names[l.count++] = strdup(e->d_name);
    }
    if (d) closedir(d);
    if (l.count) qsort(l.names, (size_t)l.count, sizeof *l.names, by_name);
    return l;
}

static void forget(listing l)
{
    for (int i = 0; i < l.count; i++) free(l.names[i]);
    free(l.names);
}

/* Is a name UTF-8 without control characters? */
static bool can_be_kept(const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c;) {
        const int more = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : *c >= 0xe0 && *c < 0xf0 ? 2
                       : *c >= 0xf0 && *c < 0xf5 ? 3 : -1;
        if (*c < ' ' || *c == 127 || more < 0) return false;
        c++;
        for (int i = 0; i < more; i++, c++)
            if (*c < 0x80 || *c >= 0xc0) return false;
    }
    return true;
}

/* a name that can be shown whatever is in it */
static const char *shown(const char *name, char text[4 * NAME])
{
    size_t length = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c && length < 4 * NAME - 8; c++)
        length += (size_t)sprintf(text + length, *c < ' ' || *c > 126 ? "\\x%02x" : "%c", *c);
    text[length] = 0;
    return text;
}

static void not_recognised(const char *who, const char *file, const char *why)
{
    char a[4 * NAME], b[4 * NAME];
    const size_t length = strlen(unrecognised);
    snprintf(unrecognised + length, sizeof unrecognised - length, "  %s: %s: %s\n",
             can_be_kept(who) ? who : shown(who, a), can_be_kept(file) ? file : shown(file, b), why);
}

/* Ann_12345_assignsubmission_file (Moodle) is Ann's */
static void student_name(const char *folder, char name[NAME])
{
    snprintf(name, NAME, "%s", folder);
    char *tail = strstr(name, "_assignsubmission_");
    if (!tail) return;
    char *digits = tail;
    while (digits > name && isdigit((unsigned char)digits[-1])) digits--;
    if (digits < tail && digits > name + 1 && digits[-1] == '_') digits[-1] = 0;
}

/* the stage of which this is the file's name, or -1 */
static int stage_of(const char *file)
{
    for (int i = 0; i < stage_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "stage-%s%s", stages[i].name, strrchr(stages[i].file, '.'));
        if (!strcmp(name, file)) return i;
    }
    return -1;
}

/* copies a file that is one, and no link, into the folder copies; "": done, or the state */
static const char *copy_file(int folder, const char *file, const char *copies, int number, int stage,
                             submission *s)
{
    static char bytes[LARGEST + 1];
    struct stat is;
    const int from = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fstatat(folder, file, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(is.st_mode)) return close(from), "symlink";
    if (from < 0 || fstat(from, &is) || !S_ISREG(is.st_mode)) return close(from), "not_file";
    ssize_t length = 0, got;
    while (length < LARGEST + 1 && (got = read(from, bytes + length, (size_t)(LARGEST + 1 - length))) > 0)
        length += got;
    close(from);
    char path[4096];
    snprintf(s->source, sizeof s->source, "%d-%s", number, stages[stage].name);
    snprintf(path, sizeof path, "%s/%s", copies, s->source);
    FILE *to = fopen(path, "w");
    if (!to || fwrite(bytes, 1, (size_t)length, to) != (size_t)length || fclose(to)) perror(path), exit(2);
    return NULL;
}

/* an unrecognised file of somebody's folder: is it worth a line? */
static bool worth_a_line(const char *file, bool deeper)
{
    static const char *const known[] = {"attention.c", "flash.c", "decode.c", "flash.cu"};
    if (!strcasecmp(file, "Makefile") || !strcmp(file, "LICENSE") || !strcasecmp(file, "README.md")) return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(file, known[i])) return true;
    return !deeper || !strncasecmp(file, "stage", 5);
}

/* what a folder holds: files by their names; folders are looked into once */
static void read_folder(student *s, int number, int folder, const char *copies, bool deeper)
{
    const listing l = list(folder);
    int listed = 0;
    for (int i = 0; i < l.count; i++) {
        const char *file = l.names[i];
        const int stage = stage_of(file);
        struct stat is = {0};
        fstatat(folder, file, &is, AT_SYMLINK_NOFOLLOW);
        if (stage >= 0 && strcmp(s->of[stage].state ? s->of[stage].state : "", "none")) {
            not_recognised(s->name, file, "there are two: the one in the outer folder, or the first, is graded");
        } else if (stage >= 0) {
            s->of[stage].state = copy_file(folder, file, copies, number, stage, &s->of[stage]);
            if (!s->of[stage].state && is.st_size == 0) not_recognised(s->name, file, "it is empty");
            if (s->of[stage].state && !strcmp(s->of[stage].state, "not_file"))
                not_recognised(s->name, file, "it is a folder or something else, not a file");
        } else if (!S_ISDIR(is.st_mode) && worth_a_line(file, deeper) && listed++ < LISTED)
            not_recognised(s->name, file, "expected are stage-0.c and so on, spelled like that");
    }
    for (int i = 0; i < l.count && !deeper; i++) {
        const int inner = openat(folder, l.names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (inner >= 0 && stage_of(l.names[i]) < 0 && strcmp(l.names[i], "__MACOSX"))
            read_folder(s, number, inner, copies, true);
        if (inner >= 0) close(inner);
    }
    forget(l);
}

static bool is_taken(const char *name)
{
    for (int i = 0; i < student_count; i++)
        if (!strcmp(students[i]->name, name)) return true;
    return false;
}

static void read_student(int dir, const char *folder, const char *copies)
{
    struct stat is;
    char name[NAME], text[4 * NAME];
    if (fstatat(dir, folder, &is, AT_SYMLINK_NOFOLLOW)) return;
    if (!S_ISDIR(is.st_mode) && !S_ISLNK(is.st_mode)) {
        not_recognised(".", folder, "expected is a folder for every student, with the files in it");
        return;
    }
    student_name(folder, name);
    if (!can_be_kept(folder) || student_count == MOST_STUDENTS) {
        fprintf(stderr, "grade: the folder '%s' is left out: a name must be UTF-8, on one line; rename it\n",
                shown(folder, text));
        return;
    }
    if (is_taken(name)) snprintf(name, NAME, "%s", folder);
    student *s = calloc(1, sizeof *s);
    if (!s) perror("memory"), exit(2);
    snprintf(s->name, NAME, "%s", name);
    students[student_count++] = s;
    for (int i = 0; i < stage_count; i++) s->of[i].state = S_ISLNK(is.st_mode) ? "symlink" : "none", s->of[i].job = -1;
    const int inner = S_ISLNK(is.st_mode) ? -1 : openat(dir, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (inner >= 0) read_folder(s, student_count, inner, copies, false), close(inner);
}

int read_roster(const char *path, const char *copies)
{
    const int dir = open(path, O_RDONLY | O_DIRECTORY);
    if (dir < 0) return -1;
    const listing l = list(dir);
    for (int i = 0; i < l.count; i++) read_student(dir, l.names[i], copies);
    forget(l);
    close(dir);
    return 0;
}
