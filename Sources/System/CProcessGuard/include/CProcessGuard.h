#ifndef CONTACTLESS_CPROCESSGUARD_H
#define CONTACTLESS_CPROCESSGUARD_H

#include <stdint.h>

#include "LoadedCode.h"

// Calls of Linux that Swift does not import: prctl(2) and syscall(2) are variadic, and the headers of Debian 12 lack the
// later rules of Landlock. Each function returns 0 or an error number, unless its comment names another result.

/// Forbids a core file, a debugger and a reader of the memory of this process (PR_SET_DUMPABLE).
int cguard_not_dumpable(void);
/// Returns whether the process can be dumped: 0 or 1, or -1.
int cguard_is_dumpable(void);
/// Forbids memory that is writable and executable, or that becomes executable later (PR_SET_MDWE, Linux 6.3).
///
/// `inherited`: whether children are restricted too. Without it, Linux 6.6 is needed.
int cguard_no_new_code(int inherited);
/// Forbids that a program started by this thread gains privileges by its file (PR_SET_NO_NEW_PRIVS).
int cguard_no_new_privileges(void);

/// The rights that a ruleset of Landlock handles, and the actions it confines (struct landlock_ruleset_attr).
struct cguard_ruleset {
  uint64_t files;
  uint64_t ports;
  uint64_t scopes;
};

/// Returns the version of Landlock's interface; 0 when the kernel has none or it is switched off.
int cguard_landlock_version(void);
/// Returns the descriptor of a new ruleset, or a negative error number.
int cguard_landlock_create(const struct cguard_ruleset *ruleset, int version);
/// Allows rights below a directory, or those of them on a file that files have.
int cguard_landlock_allow_path(int ruleset, const char *path, uint64_t rights);
/// Allows rights on a TCP port.
int cguard_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights);
/// Restricts the calling thread, and the threads and programs that it starts later.
int cguard_landlock_restrict(int ruleset);

/// Lets groups of system calls fail with EPERM, for the calling thread and what it starts later (seccomp(2)).
///
/// `groups`: 1 administration of the machine and of other processes, 2 starting programs, 4 files in memory.
int cguard_deny(int groups);

/// Returns 0 when the kernel can do what `cguard_deny` asks for, or an error number.
int cguard_can_deny(void);

/// Lets each bind(2) to an IPv4 address wait for `cguard_replace_bind`, in the programs that the calling thread starts
/// later. Forbids that they gain privileges.
///
/// Returns the descriptor of the waiting calls, which can be polled, or a negative error number.
int cguard_watch_binds(void);
/// Answers the next waiting bind(2): puts a socket that is bound already in the place of the caller's. With -1 in place of
/// the socket, the call fails with EACCES.
int cguard_replace_bind(int watch, int socket);

#endif
