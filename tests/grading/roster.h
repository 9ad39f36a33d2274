/* Who handed in what: a folder for every student, the files in it by their names, and what was not recognised. */
#ifndef ROSTER_H
#define ROSTER_H

#include "tables.h"

enum { MOST_STUDENTS = 4096, NAME = 256 };

typedef struct {
    char source[64];    /* a copy of the file, in the folder that was given; "": none */
    const char *state;  /* "none", "symlink", "not_file", or NULL: to be graded */
    int job;            /* of class.c */
} submission;

typedef struct { char name[NAME]; submission of[MOST_STAGES]; } student;

extern student *students[MOST_STUDENTS]; /* by name */
extern int student_count;

/* Reads DIR, copies what is to be graded into the folder copies, and follows no link. Names that cannot be kept are
 * refused by a line on stderr. Returns -1 with errno if DIR cannot be read. */
int read_roster(const char *dir, const char *copies);

/* What was found and not recognised, a line each, with what was expected; "" if nothing. */
extern char unrecognised[1 << 16];

#endif
