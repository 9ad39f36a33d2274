/* What a file tells before it is compiled. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_GAPS = 8, FILE_SIZE = 1 << 20 };
typedef struct {
    int count;                      /* gaps of the exercise */
    int open;                       /* those in which nothing was written */
    int stubs;                      /* of these: those whose own lines are still there, not only missing */
    char function[MOST_GAPS][32];   /* in which an open one stands */
    int line[MOST_GAPS];            /* and its line in the file */
} gaps;

/* Compares a file with the exercise as it is given out; comments and spacing do not count. */
gaps find_gaps(const char *given, const char *file);

/* The text of a file without comments and white space, into code [FILE_SIZE]; line[k], if not NULL, is the line of
 * code[k]. Returns its length. */
size_t bare_code(const char *text, char *code, int *line);

/* The whole of a file, cut at FILE_SIZE - 1 bytes, into text; returns its length, or 0 where it cannot be read. */
size_t read_file(const char *path, char *text);

/* Does the sentence "the weights of a row add up to ..." in the first comment end with the number of blocks, and is
 * it not denied? */
bool says_number_of_blocks(const char *text);

/* What becomes of a file before it is compiled: the key of a state, without "state." */
const char *look(const char *given, const char *path);

#endif
