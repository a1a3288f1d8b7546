#ifndef CONTACTLESS_CPCSC_H
#define CONTACTLESS_CPCSC_H

#include <reader.h>
#include <winscard.h>

// A macro with a parameter, which Swift does not import.
static inline DWORD contactless_control_code(DWORD function) { return SCARD_CTL_CODE(function); }

#endif
