// A card in plain C, the reference for the speed of the card in Swift. It answers SELECT, READ RECORD and the GET
// PROCESSING OPTIONS of an application that gives its options without a cryptogram, with the checks of the Swift card:
// all seven forms of a command APDU, the class, P1-P2, names, the length that the terminal expects, and the state.

#ifndef PLAIN_CARD_H
#define PLAIN_CARD_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *octets;
  size_t count;
} plain_run;

typedef struct {
  // Short file identifier and record number.
  uint16_t key;
  // The response, status word included.
  plain_run response;
} plain_record;

typedef struct {
  plain_run aid;
  // The responses, status word included.
  plain_run information;
  plain_run options;
  const plain_record *records;
  size_t record_count;
} plain_application;

typedef struct {
  plain_run directory;
  const plain_application *applications;
  size_t application_count;
  // The selected application; -1 for none.
  int selected;
  int has_options;
} plain_card;

// Answers a command. `response` has room for 258 octets. Returns the length of the response.
size_t plain_card_respond(plain_card *card, const uint8_t *command, size_t count, uint8_t *response);

// Answers the same command several times. The loop is in C, so that C pays nothing for being called from Swift. Returns
// the length of the last response.
size_t plain_card_repeat(
    plain_card *card, const uint8_t *command, size_t count, uint8_t *response, size_t iterations);

#endif
