/* The article's experiment, as it lies in tests/data/article. */
#ifndef ARTICLE_H
#define ARTICLE_H

#define ARTICLE "tests/data/article/"
enum { ARTICLE_BLOCK = 16, HOT = 10 };

#endif
