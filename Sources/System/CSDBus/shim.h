#ifndef CONTACTLESS_CSDBUS_H
#define CONTACTLESS_CSDBUS_H

#include <systemd/sd-bus.h>

#endif
