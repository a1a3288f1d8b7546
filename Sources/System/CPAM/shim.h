#ifndef CONTACTLESS_CPAM_H
#define CONTACTLESS_CPAM_H

#include <security/pam_appl.h>

#endif
