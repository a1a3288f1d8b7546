#define _GNU_SOURCE
#include "CProcessGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of linux/prctl.h and linux/landlock.h, in their present versions.
enum {
  SET_MDWE = 65, MDWE_REFUSE_EXEC_GAIN = 1, MDWE_NO_INHERIT = 2,
  LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446,
  LANDLOCK_VERSION = 1, LANDLOCK_PATH = 1, LANDLOCK_PORT = 2,
};

struct path_rule {
  uint64_t rights;
  int32_t parent;
} __attribute__((packed));

struct port_rule {
  uint64_t rights;
  uint64_t port;
};

static int code(long result) { return result < 0 ? errno : 0; }

int cguard_not_dumpable(void) { return code(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }

int cguard_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int cguard_no_new_code(int inherited) {
  unsigned long flags = MDWE_REFUSE_EXEC_GAIN | (inherited ? 0 : MDWE_NO_INHERIT);
  return code(prctl(SET_MDWE, flags, 0, 0, 0));
}

int cguard_no_new_privileges(void) { return code(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

int cguard_landlock_version(void) {
  long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  return version < 0 ? 0 : (int)version;
}

int cguard_landlock_create(const struct cguard_ruleset *ruleset, int version) {
  // A kernel refuses a structure with members that it does not have, unless they are zero.
  size_t size = version < 4 ? 8 : version < 6 ? 16 : sizeof *ruleset;
  long result = syscall(LANDLOCK_CREATE, ruleset, size, 0);
  return result < 0 ? -errno : (int)result;
}

int cguard_landlock_allow_path(int ruleset, const char *path, uint64_t rights) {
  // Execute, write, read, truncate, control.
  static const uint64_t of_files = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return errno;
  struct stat status;
  int number = code(fstat(file, &status));
  if (!number) {
    struct path_rule rule = {S_ISDIR(status.st_mode) ? rights : rights & of_files, file};
    number = code(syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PATH, &rule, 0));
  }
  close(file);
  return number;
}

int cguard_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights) {
  struct port_rule rule = {rights, port};
  return code(syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PORT, &rule, 0));
}

int cguard_landlock_restrict(int ruleset) { return code(syscall(LANDLOCK_RESTRICT, ruleset, 0)); }

int cguard_can_deny(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return code(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Reading and changing other processes, the kernel, its time, its file systems, and namespaces.
static const int administration[] = {
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
  SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_mount, SYS_umount2, SYS_pivot_root,
  SYS_chroot, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
  SYS_sethostname, SYS_setdomainname, SYS_acct, SYS_quotactl, SYS_setns, SYS_unshare, SYS_open_by_handle_at,
  SYS_personality,
  // open_tree to fspick, pidfd_getfd, process_madvise, mount_setattr: later than some headers.
  428, 429, 430, 431, 432, 433, 438, 440, 442,
};
static const int programs[] = {SYS_execve, SYS_execveat};
static const int memory_files[] = {SYS_memfd_create};

struct group {
  const int *numbers;
  int count;
};

#define GROUP(numbers) {numbers, sizeof numbers / sizeof *numbers}

int cguard_deny(int groups) {
#ifdef ARCHITECTURE
  static const struct group all[] = {GROUP(administration), GROUP(programs), GROUP(memory_files)};
  enum { KINDS = sizeof all / sizeof *all, MOST = 100 };
  int numbers[MOST], count = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    if (!(groups & 1 << kind)) continue;
    for (int row = 0; row < all[kind].count && count < MOST; row++) numbers[count++] = all[kind].numbers[row];
  }
  struct sock_filter program[MOST + 7] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    // The calls of x32 have numbers of their own, with this bit set.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, count + 1, 0),
  };
  struct sock_filter *next = program + 5;
  for (int row = 0; row < count; row++) {
    *next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[row], count - row, 0);
  }
  *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  struct sock_fprog filter = {(unsigned short)(next - program), program};
  return code(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
#else
  return ENOSYS;
#endif
}

int cguard_watch_binds(void) {
#if defined(ARCHITECTURE) && defined(SECCOMP_ADDFD_FLAG_SETFD)
  // The low half of the third argument, the size of the address.
  static const unsigned size = offsetof(struct seccomp_data, args[2]);
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, size),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sizeof(struct sockaddr_in), 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog filter = {sizeof program / sizeof *program, program};
  int number = cguard_no_new_privileges();
  if (number) return -number;
  long watch = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
  return watch < 0 ? -errno : (int)watch;
#else
  return -ENOSYS;
#endif
}

int cguard_replace_bind(int watch, int socket) {
#ifdef SECCOMP_ADDFD_FLAG_SETFD
  struct seccomp_notif call;
  memset(&call, 0, sizeof call);
  if (ioctl(watch, SECCOMP_IOCTL_NOTIF_RECV, &call)) return errno;
  struct seccomp_notif_resp answer = {.id = call.id, .error = -EACCES};
  if (socket >= 0) {
    struct seccomp_notif_addfd place = {
      .id = call.id, .flags = SECCOMP_ADDFD_FLAG_SETFD, .srcfd = (uint32_t)socket,
      .newfd = (uint32_t)call.data.args[0],
    };
    if (ioctl(watch, SECCOMP_IOCTL_NOTIF_ADDFD, &place) >= 0) answer.error = 0;
  }
  return code(ioctl(watch, SECCOMP_IOCTL_NOTIF_SEND, &answer));
#else
  return ENOSYS;
#endif
}
