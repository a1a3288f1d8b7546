#include "plain_parts.h"

#include <nettle/des.h>
#include <stdlib.h>
#include <string.h>

static long walk(const uint8_t *octets, size_t count, unsigned depth) {
  if (depth > 8) return -1;
  long sum = 0;
  size_t index = 0;
  while (1) {
    while (index < count && (octets[index] == 0x00 || octets[index] == 0xFF)) index++;
    if (index == count) return sum;
    size_t start = index;
    uint8_t first = octets[index++], octet = first;
    if ((first & 0x1F) == 0x1F) {
      do {
        if (index - start == 3 || index == count) return -1;
        octet = octets[index++];
      } while (octet & 0x80);
    }
    if (index == count) return -1;
    size_t length = octets[index++];
    if (length >= 0x80) {
      size_t following = length & 0x7F;
      if (following == 0 || following > 4 || following > count - index) return -1;
      length = 0;
      while (following-- > 0) length = length << 8 | octets[index++];
    }
    if (length > count - index) return -1;
    if (first & 0x20) {
      long inner = walk(octets + index, length, depth + 1);
      if (inner < 0) return -1;
      sum += inner;
    } else {
      sum += (long)length;
    }
    index += length;
  }
}

long plain_tlv_repeat(const uint8_t *octets, size_t count, size_t iterations) {
  long sum = 0;
  for (size_t iteration = 0; iteration < iterations; iteration++) {
    // The octets are read anew: the compiler must not walk once for all iterations.
    __asm__ volatile("" : : "r"(octets) : "memory");
    sum = walk(octets, count, 0);
  }
  return sum;
}

static const plain_element *find(const plain_element *elements, size_t count, uint32_t tag) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (elements[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && elements[low].tag == tag ? &elements[low] : NULL;
}

static int build(const plain_entry *entries, size_t count, const plain_element *elements, size_t element_count,
                 uint8_t *values, size_t room) {
  size_t offset = 0;
  for (size_t index = 0; index < count; index++) {
    size_t wanted = entries[index].count;
    if (wanted > room - offset) return -1;
    const plain_element *element = find(elements, element_count, entries[index].tag);
    size_t present = element == NULL ? 0 : element->count < wanted ? element->count : wanted;
    // A value that is too long loses its end, as binary values do.
    if (present > 0) memcpy(values + offset, element->octets, present);
    if (present < wanted) memset(values + offset + present, 0, wanted - present);
    offset += wanted;
  }
  return 0;
}

long plain_list_repeat(const plain_entry *entries, size_t count, const plain_element *elements, size_t element_count,
                       size_t iterations) {
  size_t total = 0;
  for (size_t index = 0; index < count; index++) total += entries[index].count;
  uint8_t *values = calloc(1, total);
  if (values == NULL) return -1;
  int failed = 0;
  for (size_t iteration = 0; iteration < iterations; iteration++) {
    __asm__ volatile("" : : "r"(entries), "r"(elements), "r"(values) : "memory");
    failed |= build(entries, count, elements, element_count, values, total);
  }
  long sum = 0;
  for (size_t index = 0; index < total; index++) sum += values[index];
  free(values);
  return failed ? -1 : sum;
}

static struct des3_ctx master;

void plain_cryptogram_prepare(const uint8_t *key) {
  uint8_t keys[24];
  memcpy(keys, key, 16);
  memcpy(keys + 16, key, 8);
  des3_set_key(&master, keys);
}

uint64_t plain_cryptogram(uint64_t diversifier, const uint8_t *message, size_t count) {
  uint8_t halves[16];
  for (size_t half = 0; half < 2; half++) {
    uint8_t block[8];
    for (size_t index = 0; index < 8; index++) block[index] = (uint8_t)(diversifier >> (56 - 8 * index));
    block[2] = half == 0 ? 0xF0 : 0x0F;
    des3_encrypt(&master, 8, halves + 8 * half, block);
  }
  struct des_ctx left, right;
  des_set_key(&left, halves);
  des_set_key(&right, halves + 8);
  uint8_t chain[8] = {0}, last[8] = {0};
  while (count >= 8) {
    for (size_t index = 0; index < 8; index++) chain[index] ^= message[index];
    des_encrypt(&left, 8, chain, chain);
    message += 8;
    count -= 8;
  }
  memcpy(last, message, count);
  last[count] = 0x80;
  for (size_t index = 0; index < 8; index++) chain[index] ^= last[index];
  des_encrypt(&left, 8, chain, chain);
  des_decrypt(&right, 8, chain, chain);
  des_encrypt(&left, 8, chain, chain);
  uint64_t mac = 0;
  for (size_t index = 0; index < 8; index++) mac = mac << 8 | chain[index];
  return mac;
}
