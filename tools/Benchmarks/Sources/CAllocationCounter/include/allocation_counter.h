#ifndef CONTACTLESS_ALLOCATION_COUNTER_H
#define CONTACTLESS_ALLOCATION_COUNTER_H

#include <stdint.h>

/// How many blocks this thread has taken from the heap since it began: malloc, calloc, realloc and the aligned forms.
uint64_t thread_allocation_count(void);

/// From now on this thread's blocks are counted apart for as long as an octet is zero; NULL ends that.
void thread_allocation_watch(const volatile unsigned char *octet);

/// How many blocks this thread has taken since it began to watch, while the octet was zero.
uint64_t thread_allocation_watched_count(void);

#endif
