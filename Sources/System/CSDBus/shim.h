#ifndef CONTACTLESS_CSDBUS_H
#define CONTACTLESS_CSDBUS_H

#include <sys/eventfd.h>
#include <systemd/sd-bus.h>

#endif
