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
static __thread uint64_t watched_count;
static __thread const volatile unsigned char *watched;

uint64_t thread_allocation_count(void) { return count; }

void thread_allocation_watch(const volatile unsigned char *octet) {
  watched = octet;
  watched_count = 0;
}

uint64_t thread_allocation_watched_count(void) { return watched_count; }

static void note(void) {
  count++;
  if (watched != NULL && *watched == 0) watched_count++;
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

void free(void *block) { __libc_free(block); }
