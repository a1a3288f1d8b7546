// A program that defines this function of gmp calls it in place of the library's, so that the exponentiations of a test are
// counted where they are made.

#define _GNU_SOURCE
#include "exponentiation_counter.h"

#include <dlfcn.h>
#include <gmp.h>

static __thread uint64_t count;

uint64_t thread_exponentiation_count(void) { return count; }

void mpz_powm_ui(mpz_ptr result, mpz_srcptr base, unsigned long exponent, mpz_srcptr modulus) {
  void (*library)(mpz_ptr, mpz_srcptr, unsigned long, mpz_srcptr);
  *(void **)&library = dlsym(RTLD_NEXT, "__gmpz_powm_ui");
  count++;
  library(result, base, exponent, modulus);
}
