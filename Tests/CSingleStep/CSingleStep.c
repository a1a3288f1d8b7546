#define _GNU_SOURCE
#include "CSingleStep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <elf.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// <linux/ptrace.h> cannot be included beside <sys/ptrace.h>.
enum { stopped_in_call = SIGTRAP | 0x80 };

int step_fix_addresses(void) {
  int present = personality(0xFFFFFFFF);
  return present < 0 || personality((unsigned long)present | ADDR_NO_RANDOMIZE) < 0 ? errno : 0;
}

void step_use_processor(pid_t thread, int number) {
  static cpu_set_t allowed;
  static int is_read;
  if (!is_read && sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  is_read = 1;
  int place = number % CPU_COUNT(&allowed);
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed) || place-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(thread, sizeof one, &one);
  }
}

/// Waits until a thread stops. Returns ESRCH when it has ended.
static int wait_for_stop(pid_t thread, int *status) {
  while (waitpid(thread, status, __WALL) != thread) {
    if (errno != EINTR) return errno;
  }
  return WIFSTOPPED(*status) ? 0 : ESRCH;
}

/// Returns the signal that a stop is about, which the thread must get; 0 for a stop of ptrace or of the process.
static int signal_of(int status) {
  int signal = WSTOPSIG(status);
  return signal == SIGTRAP || signal == stopped_in_call || status >> 16 != 0 ? 0 : signal;
}

/// Resumes a thread until its next stop, and passes its signals on.
static int resume(enum __ptrace_request request, pid_t thread, int *status) {
  for (int signal = 0;; signal = signal_of(*status)) {
    if (ptrace(request, thread, 0, signal) != 0) return errno;
    int error = wait_for_stop(thread, status);
    if (error != 0) return error;
    // Neither a signal nor a stop of the whole process is a step.
    if (signal_of(*status) == 0 && *status >> 16 != PTRACE_EVENT_STOP) return 0;
  }
}

int step_seize(pid_t thread) {
  int status;
  if (ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) != 0) return errno;
  if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) return errno;
  return wait_for_stop(thread, &status);
}

int step_to_call(pid_t thread, long call, uint64_t argument) {
  struct __ptrace_syscall_info info;
  do {
    int status;
    int error = resume(PTRACE_SYSCALL, thread, &status);
    if (error != 0) return error;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) < 0) return errno;
  } while (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != (uint64_t)call || info.entry.args[0] != argument);
  return 0;
}

int step_over_call(pid_t thread) {
  int status;
  return resume(PTRACE_SYSCALL, thread, &status);
}

long step(pid_t thread, long count, int descriptor) {
  // A thread that reads the next command stops at no instruction. There are more than these between two commands.
  const long looks = 64;
  for (long done = 0; done < count; done++) {
    int status;
    struct pollfd response = {descriptor, POLLIN, 0};
    if (done % looks == looks - 1 && poll(&response, 1, 0) != 0) return done;
    if (resume(PTRACE_SINGLESTEP, thread, &status) != 0) return done;
  }
  return count;
}

int step_where(pid_t thread, struct step_place *place) {
  struct user_regs_struct registers;
  struct iovec room = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &room) != 0) return errno;
#if defined(__x86_64__)
  uint64_t address = registers.rip, argument = registers.rdi;
  long call = (long)registers.rax;
  // The instruction SYSCALL.
  const long mask = 0xFFFF, instruction = 0x050F;
#elif defined(__aarch64__)
  uint64_t address = registers.pc, argument = registers.regs[0];
  long call = (long)registers.regs[8];
  // The instruction SVC 0.
  const long mask = 0xFFFFFFFF, instruction = 0xD4000001;
#else
#error "the registers of this processor are not known"
#endif
  errno = 0;
  long code = ptrace(PTRACE_PEEKTEXT, thread, address, 0);
  if (errno != 0) return errno;
  *place = (struct step_place){address, (code & mask) == instruction ? call : -1, argument};
  return 0;
}

int step_continue(pid_t thread) { return ptrace(PTRACE_CONT, thread, 0, 0) == 0 ? 0 : errno; }

int step_watch(pid_t thread) {
  int status;
  pid_t waited = waitpid(thread, &status, __WALL | WNOHANG);
  if (waited == 0) return 0;
  if (waited < 0) return errno;
  if (!WIFSTOPPED(status)) return ESRCH;
  return ptrace(PTRACE_CONT, thread, 0, signal_of(status)) == 0 ? 0 : errno;
}

int step_release(pid_t thread) {
  // A thread that is stopped already is not stopped again.
  int status;
  if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) return errno;
  if (ptrace(PTRACE_DETACH, thread, 0, 0) == 0) return 0;
  int error = wait_for_stop(thread, &status);
  if (error != 0) return error;
  return ptrace(PTRACE_DETACH, thread, 0, signal_of(status)) == 0 ? 0 : errno;
}

pid_t step_this_thread(void) { return (pid_t)syscall(SYS_gettid); }

long step_call_read(void) { return SYS_read; }

long step_call_write(void) { return SYS_write; }

int step_trace(pid_t process) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *tasks = opendir(path);
  if (tasks == NULL) return errno;
  int error = 0;
  for (struct dirent *entry; error == 0 && (entry = readdir(tasks)) != NULL;) {
    pid_t thread = atoi(entry->d_name);
    if (thread == 0) continue;
    int is_traced = ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE) == 0 &&
                    ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0;
    // A thread may have ended meanwhile.
    if (!is_traced && errno != ESRCH) error = errno;
  }
  closedir(tasks);
  return error;
}

/// Whether a system call changes files or sends bytes to another process.
static int changes_files(const struct __ptrace_syscall_info *info) {
  switch (info->entry.nr) {
#ifdef SYS_open
  case SYS_open: return (info->entry.args[1] & (O_CREAT | O_TRUNC)) != 0;
  case SYS_rename:
  case SYS_unlink:
  case SYS_mkdir:
  case SYS_rmdir:
  case SYS_link:
#endif
  case SYS_write:
  case SYS_pwrite64:
  case SYS_writev:
  case SYS_pwritev:
  case SYS_ftruncate:
  case SYS_fallocate:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_msync:
  case SYS_renameat:
  case SYS_renameat2:
  case SYS_unlinkat:
  case SYS_mkdirat:
  case SYS_linkat:
    return 1;
  case SYS_openat: return (info->entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
  default: return 0;
  }
}

void step_reap(pid_t process) {
  int status;
  while (waitpid(-process, &status, __WALL) > 0 || errno == EINTR) continue;
}

long step_kill_at_write(pid_t process, long count, int reply) {
  for (long begun = 0;;) {
    int status;
    pid_t thread = waitpid(-process, &status, __WALL);
    if (thread < 0) return errno == EINTR ? -EAGAIN : -errno;
    if (!WIFSTOPPED(status)) {
      if (thread == process) return -ESRCH;
      continue;
    }
    struct __ptrace_syscall_info info;
    if (WSTOPSIG(status) == stopped_in_call && ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
        info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files(&info)) {
      int is_reply = info.entry.nr == SYS_write && info.entry.args[0] == (uint64_t)reply;
      if (begun == count || is_reply) {
        kill(process, SIGKILL);
        step_reap(process);
        return begun;
      }
      begun += 1;
    }
    ptrace(PTRACE_SYSCALL, thread, 0, signal_of(status));
  }
}
