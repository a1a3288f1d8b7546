#ifndef CONTACTLESS_CPNG_H
#define CONTACTLESS_CPNG_H

#include <png.h>

#endif
