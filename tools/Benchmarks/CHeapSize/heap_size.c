#include "heap_size.h"

#include <malloc.h>

size_t heap_size(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}
