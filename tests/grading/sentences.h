/* What the grader says, in the reader's language: sentences.en, sentences.zh, ... hold a sentence by its key. */
#ifndef SENTENCES_H
#define SENTENCES_H

#include <stddef.h>

enum { SENTENCE = 1 << 11 };

/* The sentence of a key, or NULL. The language is LANG_ (zh), or the locale's if there is a file for it, or English. */
const char *find_sentence(const char *key);

/* coded is "key|argument|argument": its sentence, with the arguments in the place of {1} and {2}, into text. Ends the
 * program if there is no sentence with that key. Returns text. */
char *say(char text[SENTENCE], const char *coded);

/* From now on English, whatever the reader's language: for a teacher's tables, unless LANG_ asks for another. */
void say_in_english(void);

#endif
