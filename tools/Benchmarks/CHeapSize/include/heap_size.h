#ifndef CONTACTLESS_HEAP_SIZE_H
#define CONTACTLESS_HEAP_SIZE_H

#include <stddef.h>

/// Returns the octets of all live heap blocks of the process, as glibc counts them.
size_t heap_size(void);

#endif
