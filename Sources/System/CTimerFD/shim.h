#ifndef CONTACTLESS_CTIMERFD_H
#define CONTACTLESS_CTIMERFD_H

// The module of glibc lacks this header.
#include <sys/timerfd.h>

#endif
