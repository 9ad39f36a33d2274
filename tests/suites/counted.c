/* The counting allocator of counted.h: every block carries its size in front of it. */
#define UNCOUNTED
#include "counted.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { FRONT = 256 }; /* bytes before a block: its size, and the block stays aligned as device memory is */

static atomic_size_t held, refused, peak, calls, fail_from = (size_t)-1;

void counted_begin(size_t fail_at)
{
    held = refused = peak = calls = 0;
    fail_from = fail_at;
}
size_t counted_peak(void) { return peak; }
size_t counted_calls(void) { return calls; }
size_t counted_held(void) { return held; }

static void count(atomic_size_t *what, size_t size)
{
    *what += size;
    const size_t now = held + refused;
    for (size_t old = peak; now > old && !atomic_compare_exchange_weak(&peak, &old, now);) {}
}

void *counted_aligned_alloc(size_t alignment, size_t size)
{
    if (alignment > FRONT || size > PTRDIFF_MAX - 2 * FRONT) return NULL;
    if (calls++ >= fail_from) return count(&refused, size), NULL;
    char *front = aligned_alloc(FRONT, (size + 2 * FRONT - 1) / FRONT * FRONT);
    if (!front) return count(&refused, size), NULL;
    memcpy(front, &size, sizeof size);
    count(&held, size);
    return front + FRONT;
}

void *counted_malloc(size_t size) { return counted_aligned_alloc(FRONT, size); }

void *counted_calloc(size_t items, size_t size)
{
    if (size && items > SIZE_MAX / size) return NULL;
    void *p = counted_malloc(items * size);
    return p ? memset(p, 0, items * size) : NULL;
}

void counted_free(void *p)
{
    if (!p) return;
    char *front = (char *)p - FRONT;
    size_t size;
    memcpy(&size, front, sizeof size);
    held -= size;
    free(front);
}

void *counted_realloc(void *old, size_t size)
{
    void *p = counted_malloc(size);
    if (!p || !old) return p;
    size_t before;
    memcpy(&before, (char *)old - FRONT, sizeof before);
    memcpy(p, old, before < size ? before : size);
    counted_free(old);
    return p;
}
