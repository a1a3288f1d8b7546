#include "plain_reader.h"

#include <time.h>
#include <winscard.h>

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static long transmit(
    SCARDHANDLE card, const uint8_t *command, size_t count, uint64_t *nanoseconds, size_t iterations) {
  uint8_t response[258];
  for (size_t iteration = 0; iteration < iterations; iteration++) {
    DWORD length = sizeof response;
    SCARD_IO_REQUEST received = *SCARD_PCI_T1;
    uint64_t begun = now();
    long code = SCardTransmit(card, SCARD_PCI_T1, command, (DWORD)count, &received, response, &length);
    nanoseconds[iteration] = now() - begun;
    if (code != SCARD_S_SUCCESS) return code;
  }
  return SCARD_S_SUCCESS;
}

long plain_reader_measure(
    const char *reader, const uint8_t *command, size_t count, uint64_t *nanoseconds, size_t iterations) {
  SCARDCONTEXT context;
  SCARDHANDLE card;
  DWORD protocol;
  long code = SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context);
  if (code != SCARD_S_SUCCESS) return code;
  code = SCardConnect(context, reader, SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_T1, &card, &protocol);
  if (code == SCARD_S_SUCCESS) {
    code = SCardBeginTransaction(card);
    if (code == SCARD_S_SUCCESS) {
      code = transmit(card, command, count, nanoseconds, iterations);
      SCardEndTransaction(card, SCARD_LEAVE_CARD);
    }
    SCardDisconnect(card, SCARD_RESET_CARD);
  }
  SCardReleaseContext(context);
  return code;
}
