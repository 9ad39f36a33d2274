/* What compiler and sanitizers said of a file: FOLDER/output holds it. */
#ifndef SAID_H
#define SAID_H

#include <stdbool.h>

enum { WORDS = 1 << 11 };

/* the compiler's or linker's first error, as it names the line; false: none */
bool error_said(const char *folder, char words[WORDS]);
/* ": line 55, index 3 out of bounds ...", of the first report of a sanitizer; false: none */
bool sanitizer_said(const char *folder, char words[WORDS]);

#endif
