#ifndef FLUSH_CONTROL_H
#define FLUSH_CONTROL_H

#include <stdint.h>

/// What a flush of the disk does in this process, whichever library asks for it.
enum flush_kind {
  /// The call of the system.
  flush_real = 0,
  /// Nothing, as SQLite does with `synchronous = OFF`.
  flush_nothing = 1,
  /// The call of the system, and at least 5 ms, as on a slow disk.
  flush_slow = 2
};

/// Sets what a flush does.
void flush_set_kind(int kind);

/// The flushes of this process so far, of every kind.
uint64_t flush_count(void);

#endif
