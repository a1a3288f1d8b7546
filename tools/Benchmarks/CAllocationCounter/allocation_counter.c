// An executable that defines malloc replaces the malloc of the C library in the whole process, so that the allocations
// of the Swift runtime are counted too. Each function counts and then calls the function of glibc.

#include "allocation_counter.h"

#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread uint64_t count;
static uint64_t total;

uint64_t thread_allocation_count(void) { return count; }

uint64_t process_allocation_count(void) { return __atomic_load_n(&total, __ATOMIC_RELAXED); }

static void add(void) {
  count++;
  __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
  add();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  add();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  add();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  add();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  add();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  add();
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

void free(void *block) { __libc_free(block); }
