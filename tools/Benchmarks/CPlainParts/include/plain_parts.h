// The parts of a tap in plain C, each the reference for the same part in Swift.

#ifndef PLAIN_PARTS_H
#define PLAIN_PARTS_H

#include <stddef.h>
#include <stdint.h>

// Walks BER-TLV data objects of all levels several times, with the checks of TLVReader. Returns the number of octets of
// all primitive values; -1 for octets that are not BER-TLV.
long plain_tlv_repeat(const uint8_t *octets, size_t count, size_t iterations);

// An entry of a data object list.
typedef struct {
  uint32_t tag;
  size_t count;
} plain_entry;

// A data element of a terminal.
typedef struct {
  uint32_t tag;
  const uint8_t *octets;
  size_t count;
} plain_element;

// Builds the values of a data object list several times, each time in a block of its own. The elements are in the order
// of their tags. Returns the sum of the octets of one list of values.
long plain_list_repeat(const plain_entry *entries, size_t count, const plain_element *elements, size_t element_count,
                       size_t iterations);

// Expands the key from which a session key is derived: 16 octets. A card does that when it is armed.
void plain_cryptogram_prepare(const uint8_t *key);

// Computes a cryptogram with nettle alone: derives the session key (EMV 4.3 Book 2, A1.3.1) and makes the MAC of the
// message (A1.2.1), padded by method 2.
uint64_t plain_cryptogram(uint64_t diversifier, const uint8_t *message, size_t count);

#endif
