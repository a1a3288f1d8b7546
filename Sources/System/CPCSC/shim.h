#ifndef CONTACTLESS_CPCSC_H
#define CONTACTLESS_CPCSC_H

#include <reader.h>
#include <winscard.h>

#endif
