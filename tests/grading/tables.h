/* The two tables of the grader: stages (the exercises) and points (what is asked of each). */
#ifndef TABLES_H
#define TABLES_H

enum { MOST_STAGES = 24, MOST_PROPERTIES = 40, MOST_TESTS = 8 };

typedef struct { char name[16], file[64], hints[32], asked[24]; } stage_row;
typedef struct {
    char key[24];               /* of its sentence; "-": none */
    int points[MOST_STAGES];    /* in the order of stages */
    char tests[MOST_TESTS][64];
} property;

extern stage_row stages[MOST_STAGES];
extern property properties[MOST_PROPERTIES];
extern int stage_count, property_count;

/* Reads both files; ends the program with a sentence where they do not fit together. */
void read_tables(void);

/* the number of the stage with that name, or -1 */
int stage_named(const char *name);

/* points of all properties of a stage */
int most_points(int stage);

/* the exercise as it is given out, of a stage */
char *given_out(int stage, char path[96]);

#endif
