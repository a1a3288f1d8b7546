#ifndef CONTACTLESS_ALLOCATION_COUNTER_H
#define CONTACTLESS_ALLOCATION_COUNTER_H

#include <stdint.h>

/// Returns the number of allocations of this thread since it began: malloc, calloc, realloc and the aligned forms.
uint64_t thread_allocation_count(void);

/// Returns the number of allocations of all threads of this process.
uint64_t process_allocation_count(void);

#endif
