/* cp.async: the copy lands at the wait, and no earlier. On a GPU it may land at any moment until then. */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include <stddef.h>

/* 4, 8 or 16 aligned bytes from global to shared memory, the last so many of them zeros instead */
void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0);
void __pipeline_commit();               /* what was set out since the last commit is now a group */
void __pipeline_wait_prior(int groups); /* waits for all groups but the newest so many */

#endif
