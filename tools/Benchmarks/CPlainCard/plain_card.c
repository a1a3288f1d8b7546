#include "plain_card.h"

#include <string.h>

typedef struct {
  const uint8_t *data;
  size_t count;
  // Ne, the most octets of data in the response.
  size_t expected;
} parts;

static const uint8_t directory_name[] = {'2', 'P', 'A', 'Y', '.', 'S', 'Y', 'S', '.', 'D', 'D', 'F', '0', '1'};

static size_t status(uint8_t *response, unsigned word) {
  response[0] = (uint8_t)(word >> 8);
  response[1] = (uint8_t)word;
  return 2;
}

// Reads the seven forms of a command APDU (ISO/IEC 7816-3:2006, 12.1.3). Returns 0 for other octets.
static inline int parse(const uint8_t *command, size_t count, parts *found) {
  found->data = command + 4;
  found->count = 0;
  found->expected = 0;
  if (count < 4) return 0;
  if (count == 4) return 1;
  if (count == 5) {
    found->expected = command[4] == 0 ? 256 : command[4];
    return 1;
  }
  if (command[4] != 0) {
    found->data = command + 5;
    found->count = command[4];
    if (count - 5 == found->count) return 1;
    if (count - 5 != found->count + 1) return 0;
    found->expected = command[count - 1] == 0 ? 256 : command[count - 1];
    return 1;
  }
  if (count < 7) return 0;
  size_t stated = (size_t)command[5] << 8 | command[6];
  if (count == 7) {
    found->expected = stated == 0 ? 65536 : stated;
    return 1;
  }
  if (stated == 0) return 0;
  found->data = command + 7;
  found->count = stated;
  if (count - 7 == stated) return 1;
  if (count - 7 != stated + 2) return 0;
  size_t expected = (size_t)command[count - 2] << 8 | command[count - 1];
  found->expected = expected == 0 ? 65536 : expected;
  return 1;
}

static inline size_t answer(plain_run run, size_t expected, uint8_t *response) {
  if (run.count - 2 > expected) return status(response, 0x6C00 | ((run.count - 2) & 0xFF));
  memcpy(response, run.octets, run.count);
  return run.count;
}

static inline size_t select_name(plain_card *card, const uint8_t *command, const parts *found, uint8_t *response) {
  if (command[2] != 0x04 || (command[3] != 0x00 && command[3] != 0x02)) return status(response, 0x6A86);
  if (found->count < 1 || found->count > 16) return status(response, 0x6700);
  int is_next = command[3] == 0x02;
  if (!is_next && found->count == sizeof directory_name && memcmp(found->data, directory_name, found->count) == 0) {
    size_t count = answer(card->directory, found->expected, response);
    if (count > 2) {
      card->selected = -1;
      card->has_options = 0;
    }
    return count;
  }
  for (size_t index = is_next ? (size_t)(card->selected + 1) : 0; index < card->application_count; index++) {
    const plain_application *application = &card->applications[index];
    if (application->aid.count < found->count) continue;
    if (memcmp(application->aid.octets, found->data, found->count) != 0) continue;
    size_t count = answer(application->information, found->expected, response);
    if (count > 2) {
      card->selected = (int)index;
      card->has_options = 0;
    }
    return count;
  }
  return status(response, 0x6A82);
}

static inline size_t read_record(plain_card *card, const uint8_t *command, const parts *found, uint8_t *response) {
  uint8_t record = command[2], reference = command[3];
  if ((reference & 0x07) != 0x04 || reference >> 3 == 31 || found->count != 0 || record == 0)
    return status(response, 0x6A86);
  if (reference >> 3 == 0) return status(response, 0x6A81);
  if (card->selected < 0 || !card->has_options) return status(response, 0x6985);
  const plain_application *application = &card->applications[card->selected];
  uint16_t key = (uint16_t)((reference >> 3) << 8 | record);
  for (size_t index = 0; index < application->record_count; index++)
    if (application->records[index].key == key)
      return answer(application->records[index].response, found->expected, response);
  return status(response, 0x6A83);
}

static inline size_t give_options(plain_card *card, const uint8_t *command, const parts *found, uint8_t *response) {
  if (command[2] != 0 || command[3] != 0) return status(response, 0x6A86);
  if (card->selected < 0 || card->has_options) return status(response, 0x6985);
  const uint8_t *data = found->data;
  if (found->count < 2 || data[0] != 0x83) return status(response, 0x6A80);
  if (data[1] >= 0x80 || data[1] != found->count - 2) return status(response, 0x6A80);
  // The list of the application asks for no values.
  if (data[1] != 0) return status(response, 0x6700);
  size_t count = answer(card->applications[card->selected].options, found->expected, response);
  if (count > 2) card->has_options = 1;
  return count;
}

__attribute__((noinline)) size_t plain_card_respond(
    plain_card *card, const uint8_t *command, size_t count, uint8_t *response) {
  parts found;
  if (!parse(command, count, &found)) return status(response, 0x6700);
  switch (command[0] << 8 | command[1]) {
  case 0x00A4: return select_name(card, command, &found, response);
  case 0x00B2: return read_record(card, command, &found, response);
  case 0x80A8: return give_options(card, command, &found, response);
  default: break;
  }
  if (command[0] != 0x00 && command[0] != 0x80) return status(response, 0x6E00);
  switch (command[1]) {
  // The instruction exists in the other class.
  case 0xA4:
  case 0xB2:
  case 0xA8: return status(response, 0x6E00);
  default: return status(response, 0x6D00);
  }
}

size_t plain_card_repeat(
    plain_card *card, const uint8_t *command, size_t count, uint8_t *response, size_t iterations) {
  size_t last = 0;
  for (size_t iteration = 0; iteration < iterations; iteration++) {
    last = plain_card_respond(card, command, count, response);
    // The responses are read elsewhere: the compiler must not drop a command.
    __asm__ volatile("" : : "r"(response) : "memory");
  }
  return last;
}
