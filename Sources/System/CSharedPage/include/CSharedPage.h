#pragma once

#include <stdint.h>

/// Keeps a process alive that reads a mapped page whose file was truncated: a handler of SIGBUS maps an empty page in its
/// place. Every other SIGBUS goes to the handler that was installed before.
///
/// Returns 0, or an error number: ENOMEM when 64 pages of this process are kept.
int cpage_keep(const void *page);

/// The kind of the file system of an open file, of linux/magic.h; -1 with errno set on an error.
int64_t cpage_file_system(int descriptor);

/// Ends that, before the page is unmapped.
void cpage_release(const void *page);
