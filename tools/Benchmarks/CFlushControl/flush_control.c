// An executable that defines fdatasync and fsync replaces those of the C library in the whole process, so that the flushes of
// SQLite can be counted, slowed down and left out.

#include "flush_control.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int kind;
static uint64_t count;

void flush_set_kind(int new_kind) { __atomic_store_n(&kind, new_kind, __ATOMIC_RELAXED); }

uint64_t flush_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

static int flush(int file, long call) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  int present = __atomic_load_n(&kind, __ATOMIC_RELAXED);
  if (present == flush_nothing) return 0;
  if (present == flush_slow) {
    struct timespec delay = {.tv_sec = 0, .tv_nsec = 5000000};
    nanosleep(&delay, NULL);
  }
  return (int)syscall(call, file);
}

int fdatasync(int file) { return flush(file, SYS_fdatasync); }

int fsync(int file) { return flush(file, SYS_fsync); }
