/* Between class.c, which grades a class, and class_tables.c, which writes what a teacher gets. */
#ifndef CLASS_H
#define CLASS_H

#include "roster.h"
#include "sentences.h"
#include <stdbool.h>

/* Files that are the same, byte for byte, are graded once. */
typedef struct {
    char folder[64];            /* build/grades/...: source, state, output, report, results */
    int stage;
    bool done;
} job;

extern job *jobs;
extern int job_count;

/* what build/report found, from a job's results; of a stage that was not graded: only the state */
typedef struct {
    char state[SENTENCE], cause[SENTENCE]; /* coded; cause "": none */
    int points, of, count;
    struct { char key[24]; int points, of; char detail[512]; } properties[MOST_PROPERTIES];
} grade;

grade grade_of(const student *s, int stage);

bool handed_in(const grade *g);

/* why points are missing: the likely cause, or the state where that says all; "": nothing is */
const char *why(const grade *g, char text[SENTENCE]);

/* is all that was handed in graded? */
bool is_done(const student *s);

/* Writes the table to OUT and, where the environment asks for it, WIDE, JUNIT, TAP and FEEDBACK, with a row for every
 * student who is done; each file is replaced only when it is whole. Returns 0, or -1 with a sentence on stderr. */
int write_tables(const char *out);

/* What went wrong, by how many; files that are the same; what was not recognised. To stdout. */
void print_summary(void);

#endif
