#define _GNU_SOURCE
#include "CSharedPage.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { KEPT_PAGES = 64 };

static _Atomic(uintptr_t) kept[KEPT_PAGES];
static struct sigaction former;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uintptr_t page_size;

static int is_kept(uintptr_t page) {
  for (int place = 0; place < KEPT_PAGES; place++)
    if (page != 0 && atomic_load(&kept[place]) == page) return 1;
  return 0;
}

// Runs on the thread that has read the page. mmap is a plain system call, so it may be called here.
static void handle(int number, siginfo_t *info, void *context) {
  uintptr_t page = (uintptr_t)info->si_addr & ~(page_size - 1);
  int error = errno;
  if (is_kept(page)
      && mmap((void *)page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
    errno = error;
  } else if (former.sa_flags & SA_SIGINFO) {
    former.sa_sigaction(number, info, context);
  } else if (former.sa_handler == SIG_DFL || former.sa_handler == SIG_IGN) {
    // The access is repeated, and ends the process.
    signal(SIGBUS, SIG_DFL);
  } else {
    former.sa_handler(number);
  }
}

static void install(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &former);
}

int cpage_keep(const void *page) {
  pthread_once(&once, install);
  for (int place = 0; place < KEPT_PAGES; place++) {
    uintptr_t free = 0;
    if (atomic_compare_exchange_strong(&kept[place], &free, (uintptr_t)page)) return 0;
  }
  return ENOMEM;
}

int64_t cpage_file_system(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}

void cpage_release(const void *page) {
  for (int place = 0; place < KEPT_PAGES; place++) {
    uintptr_t present = (uintptr_t)page;
    if (atomic_compare_exchange_strong(&kept[place], &present, 0)) return;
  }
}
