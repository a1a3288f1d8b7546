#ifndef CONTACTLESS_CNETTLE_H
#define CONTACTLESS_CNETTLE_H

#include <gmp.h>
#include <string.h>

#include <nettle/aes.h>
#include <nettle/cmac.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

// HMAC with SHA-256 of one message. The state, from which the key could be found, is wiped.
static inline void contactless_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *octets, size_t count,
                                           uint8_t *code) {
  struct hmac_sha256_ctx state;
  hmac_sha256_set_key(&state, key_count, key);
  hmac_sha256_update(&state, count, octets);
  hmac_sha256_digest(&state, SHA256_DIGEST_SIZE, code);
  explicit_bzero(&state, sizeof state);
}

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

// A private key of RSA as limbs, one after the other: p, q, dp, dq and qinv with `half` limbs each, and the modulus with
// `whole` limbs. Both primes fill `half` limbs.
typedef struct {
  size_t half;
  size_t whole;
} contactless_rsa_size;

static inline contactless_rsa_size contactless_rsa_size_of(size_t prime_count) {
  contactless_rsa_size size = {(prime_count + sizeof(mp_limb_t) - 1) / sizeof(mp_limb_t),
                               (2 * prime_count + sizeof(mp_limb_t) - 1) / sizeof(mp_limb_t)};
  return size;
}

static inline size_t contactless_rsa_key_bytes(contactless_rsa_size size) {
  return (5 * size.half + size.whole) * sizeof(mp_limb_t);
}

static inline size_t contactless_rsa_scratch_limbs(contactless_rsa_size size) {
  mp_size_t most = mpn_sec_powm_itch(2 * size.half, GMP_NUMB_BITS * size.half, size.half);
  mp_size_t further[] = {mpn_sec_powm_itch(2 * size.half, 17, size.whole), mpn_sec_div_r_itch(2 * size.half, size.half),
                         mpn_sec_mul_itch(size.half, size.half), mpn_sec_add_1_itch(size.half)};
  for (size_t index = 0; index < sizeof further / sizeof *further; index++) {
    if (further[index] > most) most = further[index];
  }
  return most;
}

// The values between the steps, 2 * half limbs each: message, first half, second half, difference, result, check.
static inline size_t contactless_rsa_work_bytes(contactless_rsa_size size) {
  return (6 * 2 * size.half + contactless_rsa_scratch_limbs(size)) * sizeof(mp_limb_t);
}

static inline void contactless_rsa_store(mp_limb_t *limbs, size_t count, mpz_t value) {
  for (size_t index = 0; index < count; index++) limbs[index] = mpz_getlimbn(value, index);
  if (mpz_size(value) > 0) explicit_bzero(mpz_limbs_modify(value, mpz_size(value)), mpz_size(value) * sizeof(mp_limb_t));
  mpz_clear(value);
}

// Writes the key of two primes of `count` bytes and its modulus, 2 * count bytes. Returns 0 unless the exponent has an
// inverse. It allocates, and is not for the time of a payment.
static inline int contactless_rsa_set_key(mp_limb_t *key, uint8_t *modulus, const uint8_t *p, const uint8_t *q,
                                          size_t count, unsigned long exponent) {
  contactless_rsa_size size = contactless_rsa_size_of(count);
  mpz_t first, second, product, dp, dq, qinv, e;
  mpz_init(first);
  mpz_init(second);
  mpz_init(product);
  mpz_init(dp);
  mpz_init(dq);
  mpz_init(qinv);
  mpz_init_set_ui(e, exponent);
  mpz_import(first, count, 1, 1, 1, 0, p);
  mpz_import(second, count, 1, 1, 1, 0, q);
  mpz_mul(product, first, second);
  mpz_sub_ui(dp, first, 1);
  mpz_sub_ui(dq, second, 1);
  int is_key = mpz_invert(dp, e, dp) != 0 && mpz_invert(dq, e, dq) != 0 && mpz_invert(qinv, second, first) != 0;
  memset(modulus, 0, 2 * count);
  mpz_export(modulus + 2 * count - (mpz_sizeinbase(product, 2) + 7) / 8, NULL, 1, 1, 1, 0, product);
  contactless_rsa_store(key, size.half, first);
  contactless_rsa_store(key + size.half, size.half, second);
  contactless_rsa_store(key + 2 * size.half, size.half, dp);
  contactless_rsa_store(key + 3 * size.half, size.half, dq);
  contactless_rsa_store(key + 4 * size.half, size.half, qinv);
  contactless_rsa_store(key + 5 * size.half, size.whole, product);
  mpz_clear(e);
  return is_key;
}

static inline void contactless_rsa_load(mp_limb_t *limbs, size_t limb_count, const uint8_t *octets, size_t count) {
  memset(limbs, 0, limb_count * sizeof(mp_limb_t));
  for (size_t index = 0; index < count; index++) {
    limbs[index / sizeof(mp_limb_t)] |= (mp_limb_t)octets[count - 1 - index] << (8 * (index % sizeof(mp_limb_t)));
  }
}

// The private operation of RSA in place, on a number of `count` bytes that is below the modulus and not 0, by the Chinese
// remainder theorem. Its time does not depend on key or number, and it allocates nothing. The result is raised to the public
// exponent and compared: after a fault it would reveal a factor, so that the number is then overwritten with zeros, and 0 is
// returned.
static inline int contactless_rsa_sign(uint8_t *number, size_t count, const mp_limb_t *key, contactless_rsa_size size,
                                       unsigned long exponent, mp_limb_t *work) {
  size_t half = size.half, whole = size.whole, room = 2 * half;
  const mp_limb_t *p = key, *q = p + half, *dp = q + half, *dq = dp + half, *qinv = dq + half, *n = qinv + half;
  mp_limb_t *message = work, *first = message + room, *second = first + room, *rest = second + room;
  mp_limb_t *result = rest + room, *check = result + room, *scratch = check + room;
  mp_limb_t e = exponent;
  contactless_rsa_load(message, room, number, count);
  mpn_sec_powm(first, message, room, dp, GMP_NUMB_BITS * half, p, half, scratch);
  mpn_sec_powm(second, message, room, dq, GMP_NUMB_BITS * half, q, half, scratch);
  // rest = (first - second mod p) * qinv mod p
  mpn_copyi(rest, second, half);
  mpn_sec_div_r(rest, half, p, half, scratch);
  mp_limb_t borrow = mpn_sub_n(rest, first, rest, half);
  mpn_cnd_add_n(borrow, rest, rest, p, half);
  mpn_sec_mul(check, rest, half, qinv, half, scratch);
  mpn_sec_div_r(check, room, p, half, scratch);
  // result = second + q * rest
  mpn_sec_mul(result, q, half, check, half, scratch);
  mp_limb_t carry = mpn_add_n(result, result, second, half);
  mpn_sec_add_1(result + half, result + half, half, carry, scratch);
  mpn_sec_powm(check, result, room, &e, 17, n, whole, scratch);
  mp_limb_t difference = 0;
  for (size_t index = 0; index < whole; index++) difference |= check[index] ^ message[index];
  int is_right = difference == 0;
  for (size_t index = 0; index < count; index++) {
    uint8_t octet = result[index / sizeof(mp_limb_t)] >> (8 * (index % sizeof(mp_limb_t)));
    number[count - 1 - index] = is_right ? octet : 0;
  }
  explicit_bzero(work, contactless_rsa_work_bytes(size));
  return is_right;
}

// Replaces a number of `count` bytes by the next probable prime. Returns 0, and changes nothing, when that has more bytes.
static inline int contactless_next_prime(uint8_t *number, size_t count) {
  mpz_t value;
  mpz_init(value);
  mpz_import(value, count, 1, 1, 1, 0, number);
  mpz_nextprime(value, value);
  size_t used = (mpz_sizeinbase(value, 2) + 7) / 8;
  if (used <= count) {
    memset(number, 0, count);
    mpz_export(number + count - used, NULL, 1, 1, 1, 0, value);
  }
  explicit_bzero(mpz_limbs_modify(value, mpz_size(value)), mpz_size(value) * sizeof(mp_limb_t));
  mpz_clear(value);
  return used <= count;
}

#endif
