#ifndef CONTACTLESS_ALLOCATION_COUNTER_H
#define CONTACTLESS_ALLOCATION_COUNTER_H

#include <stdint.h>

/// Returns the number of allocations of this thread since it began: malloc, calloc, realloc and the aligned forms.
uint64_t thread_allocation_count(void);

/// Starts a second count of this thread's allocations, which stops when the octet is no longer zero. NULL ends it.
void thread_allocation_watch(const volatile unsigned char *octet);

/// Returns the second count: the allocations since `thread_allocation_watch` while the octet was zero.
uint64_t thread_allocation_watched_count(void);

#endif
