#ifndef CONTACTLESS_CIFDHANDLER_H
#define CONTACTLESS_CIFDHANDLER_H

#include <ifdhandler.h>

#endif
