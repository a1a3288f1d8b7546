#ifndef CONTACTLESS_CNETTLE_H
#define CONTACTLESS_CNETTLE_H

#include <gmp.h>
#include <string.h>

#include <nettle/aes.h>
#include <nettle/cmac.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

// A CMAC whose state lies apart from its key, so that one key serves many messages, and the key's plain cipher. Here
// because nettle takes the cipher as a function of `const void *`, a cast that C makes and Swift does not, and because
// a key's parts should be reached where they lie, never copied.
static inline void contactless_cmac_aes128_update(struct cmac128_ctx *state, const struct cmac_aes128_ctx *key,
                                                  size_t length, const uint8_t *octets) {
  cmac128_update(state, &key->cipher, (nettle_cipher_func *)aes128_encrypt, length, octets);
}

static inline void contactless_cmac_aes128_encipher(const struct cmac_aes128_ctx *key, uint8_t *output,
                                                    const uint8_t *input) {
  aes128_encrypt(&key->cipher, AES_BLOCK_SIZE, output, input);
}

static inline void contactless_cmac_aes128_digest(struct cmac128_ctx *state, const struct cmac_aes128_ctx *key,
                                                  unsigned length, uint8_t *mac) {
  cmac128_digest(state, &key->key, &key->cipher, (nettle_cipher_func *)aes128_encrypt, length, mac);
}

// AES-256 in GCM with the state of a message apart from its key, so that one key serves many messages at once.
static inline void contactless_gcm_aes256_start(struct gcm_ctx *state, const struct gcm_aes256_ctx *key, size_t length,
                                                const uint8_t *nonce) {
  gcm_set_iv(state, &key->key, length, nonce);
}

static inline void contactless_gcm_aes256_authenticate(struct gcm_ctx *state, const struct gcm_aes256_ctx *key,
                                                       size_t length, const uint8_t *octets) {
  gcm_update(state, &key->key, length, octets);
}

static inline void contactless_gcm_aes256_encrypt(struct gcm_ctx *state, const struct gcm_aes256_ctx *key,
                                                  size_t length, uint8_t *output, const uint8_t *input) {
  gcm_encrypt(state, &key->key, &key->cipher, (nettle_cipher_func *)aes256_encrypt, length, output, input);
}

static inline void contactless_gcm_aes256_decrypt(struct gcm_ctx *state, const struct gcm_aes256_ctx *key,
                                                  size_t length, uint8_t *output, const uint8_t *input) {
  gcm_decrypt(state, &key->key, &key->cipher, (nettle_cipher_func *)aes256_encrypt, length, output, input);
}

static inline void contactless_gcm_aes256_digest(struct gcm_ctx *state, const struct gcm_aes256_ctx *key,
                                                 uint8_t *tag) {
  gcm_digest(state, &key->key, &key->cipher, (nettle_cipher_func *)aes256_encrypt, GCM_DIGEST_SIZE, tag);
}

// The public operation of RSA, number^exponent mod modulus, on numbers of `count` bytes, most significant byte first.
// Returns 0, and writes nothing, for a number that is not below the modulus. The modulus must not be 0. For public values
// only: the time depends on them, and gmp allocates.
static inline int contactless_rsa_public(uint8_t *result, const uint8_t *number, const uint8_t *modulus, size_t count,
                                         unsigned long exponent) {
  mpz_t value, limit;
  mpz_init(value);
  mpz_init(limit);
  mpz_import(value, count, 1, 1, 1, 0, number);
  mpz_import(limit, count, 1, 1, 1, 0, modulus);
  int is_below = mpz_cmp(value, limit) < 0;
  if (is_below) {
    mpz_powm_ui(value, value, exponent, limit);
    memset(result, 0, count);
    mpz_export(result + count - (mpz_sizeinbase(value, 2) + 7) / 8, NULL, 1, 1, 1, 0, value);
  }
  mpz_clear(value);
  mpz_clear(limit);
  return is_below;
}

#endif
