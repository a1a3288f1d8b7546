#ifndef CONTACTLESS_CNETTLE_H
#define CONTACTLESS_CNETTLE_H

#include <nettle/aes.h>
#include <nettle/cmac.h>
#include <nettle/des.h>
#include <nettle/sha1.h>

#endif
