#pragma once

#include <stdint.h>

// How many exponentiations with a public exponent this thread has made.
uint64_t thread_exponentiation_count(void);
