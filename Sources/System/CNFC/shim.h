#ifndef CONTACTLESS_CNFC_H
#define CONTACTLESS_CNFC_H

#include <nfc/nfc.h>
#include <stdbool.h>
#include <string.h>

// A target of type A, read and made here: nfc_target is packed and holds a union, which Swift would have to copy whole
// to reach into.
static inline void contactless_nfc_type_a(nfc_target *target, const uint8_t uid[4], const uint8_t *history,
                                          size_t history_count) {
  memset(target, 0, sizeof *target);
  target->nm.nmt = NMT_ISO14443A;
  target->nm.nbr = NBR_106;
  target->nti.nai.abtAtqa[1] = 0x04;
  target->nti.nai.btSak = 0x20;
  target->nti.nai.szUidLen = 4;
  memcpy(target->nti.nai.abtUid, uid, 4);
  // libnfc takes the historical bytes behind T0, which says that no other interface bytes come before them.
  target->nti.nai.szAtsLen = history_count + 1;
  memcpy(target->nti.nai.abtAts + 1, history, history_count);
}

static inline uint8_t contactless_nfc_sak(const nfc_target *target) { return target->nti.nai.btSak; }

// The ATS without its length octet TL, as libnfc keeps it.
static inline size_t contactless_nfc_ats(const nfc_target *target, uint8_t ats[254]) {
  size_t count = target->nti.nai.szAtsLen > 254 ? 254 : target->nti.nai.szAtsLen;
  memcpy(ats, target->nti.nai.abtAts, count);
  return count;
}

static inline size_t contactless_nfc_uid(const nfc_target *target, uint8_t uid[10]) {
  size_t count = target->nti.nai.szUidLen > 10 ? 10 : target->nti.nai.szUidLen;
  memcpy(uid, target->nti.nai.abtUid, count);
  return count;
}

// What a card of type B answered, read here for the same reason: PUPI of 4 octets; then application data, protocol
// information and the length index of its buffer, which are the historical octets of its answer to reset (PC/SC part 3,
// 3.1.3.2.3.1).
static inline void contactless_nfc_type_b(const nfc_target *target, uint8_t pupi[4], uint8_t history[8]) {
  memcpy(pupi, target->nti.nbi.abtPupi, 4);
  memcpy(history, target->nti.nbi.abtApplicationData, 4);
  memcpy(history + 4, target->nti.nbi.abtProtocolInfo, 3);
  history[7] = target->nti.nbi.ui8CardIdentifier & 0xF0;
}

// Exported by libnfc for its own tools, in none of its headers. All drivers of Debian's libnfc are of this family.
int pn53x_transceive(struct nfc_device *device, const uint8_t *command, const size_t command_count, uint8_t *response,
                     const size_t response_count, int timeout);

// TgGetTargetStatus (UM0701-02, 7.3.21): libnfc reports only that the target was released, not by which side.
static inline bool contactless_nfc_is_deselected(nfc_device *device) {
  const uint8_t command = 0x8A;
  uint8_t response[264];
  return pn53x_transceive(device, &command, 1, response, sizeof response, 500) >= 1 && response[0] == 0x02;
}

// Lists connection strings, each ended by a zero, one after the other; the array of arrays stays in C.
static inline size_t contactless_nfc_list(nfc_context *context, char *text, size_t room) {
  nfc_connstring found[16];
  size_t count = nfc_list_devices(context, found, 16);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    size_t length = strnlen(found[i], sizeof found[i]);
    if (used + length + 1 > room) break;
    memcpy(text + used, found[i], length);
    text[used + length] = '\n';
    used += length + 1;
  }
  return used;
}

#endif
