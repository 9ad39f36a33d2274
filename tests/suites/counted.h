/* Counts what a version allocates. This header is put before every line of a version
 * (cc -include tests/suites/counted.h) when it is compiled for the tests, the ledger and the
 * bench, so that its storage is measured and not taken from a formula, and so that an
 * allocation can be made to fail. The versions themselves know nothing of it. Who only asks what was counted, and
 * allocates for itself, defines UNCOUNTED before including it. */
#ifndef COUNTED_H
#define COUNTED_H

#include <stddef.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif

void *counted_malloc(size_t size);
void *counted_calloc(size_t count, size_t size);
void *counted_realloc(void *old, size_t size);
void *counted_aligned_alloc(size_t alignment, size_t size); /* alignment: at most 256 bytes */
void counted_free(void *p);

/* From here on: the largest number of bytes held at one time, and how many allocations were asked for.
 * Allocation number fail_at (counted from 0) and all later ones fail; (size_t)-1: none does. A failing
 * allocation's bytes are counted as if held, so a version whose every allocation fails tells what it
 * would need without computing anything. */
void counted_begin(size_t fail_at);
size_t counted_peak(void);
size_t counted_calls(void);
size_t counted_held(void); /* not yet freed, since the last counted_begin; 0 if nothing leaks */

#ifdef __cplusplus
}
#endif

#ifndef UNCOUNTED
#define malloc counted_malloc
#define calloc counted_calloc
#define realloc counted_realloc
#define aligned_alloc counted_aligned_alloc
#define free counted_free
#endif

#endif
