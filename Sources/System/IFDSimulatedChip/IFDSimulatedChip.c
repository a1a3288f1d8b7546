#include "IFDSimulatedChip.h"

// Without the header of libpcsclite-dev the library is empty.
#if __has_include(<ifdhandler.h>)

#include <ifdhandler.h>
#include <pthread.h>
#include <reader.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The length of a frame has 16 bits.
#define LONGEST_FRAME 65535
// The maximum of pcscd.
#define READERS PCSCLITE_MAX_READERS_CONTEXTS

// One reader. pcscd loads this library once for all readers and identifies each by its logical unit number. It never
// calls two functions for the same reader at the same time.
struct reader {
  int is_used;
  DWORD unit;
  int descriptor;
  struct sockaddr_un address;
};

static struct reader readers[READERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct reader *reader_of(DWORD unit) {
  struct reader *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < READERS && found == NULL; i++) {
    if (readers[i].is_used && readers[i].unit == unit) found = &readers[i];
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void disconnect(struct reader *reader) {
  if (reader->descriptor >= 0) close(reader->descriptor);
  reader->descriptor = -1;
}

// Connects to the process of the reader, unless the connection still exists. The process can start after pcscd, end and
// start again, like a reader that is plugged in and unplugged.
static int connected(struct reader *reader) {
  unsigned char octet;
  if (reader->descriptor >= 0 && recv(reader->descriptor, &octet, 1, MSG_PEEK | MSG_DONTWAIT) == 0) disconnect(reader);
  if (reader->descriptor >= 0) return 1;
  reader->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (reader->descriptor < 0) return 0;
  if (connect(reader->descriptor, (struct sockaddr *)&reader->address, sizeof reader->address) == 0) return 1;
  disconnect(reader);
  return 0;
}

static int send_all(int descriptor, const unsigned char *octets, size_t count) {
  while (count > 0) {
    ssize_t sent = send(descriptor, octets, count, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    octets += sent;
    count -= (size_t)sent;
  }
  return 1;
}

static int receive_all(int descriptor, unsigned char *octets, size_t count) {
  return count == 0 || recv(descriptor, octets, count, MSG_WAITALL) == (ssize_t)count;
}

// Sends a command and receives its answer. After a failure the caller closes the connection, since it may still carry a
// part of an answer.
static RESPONSECODE exchange(struct reader *reader, const unsigned char *command, size_t count, unsigned char *answer,
                             size_t room, size_t *used) {
  unsigned char length[2] = {(unsigned char)(count >> 8), (unsigned char)count};
  if (!send_all(reader->descriptor, length, 2) || !send_all(reader->descriptor, command, count)) {
    return IFD_COMMUNICATION_ERROR;
  }
  if (!receive_all(reader->descriptor, length, 2)) return IFD_COMMUNICATION_ERROR;
  size_t expected = (size_t)length[0] << 8 | length[1];
  if (expected > room) return IFD_ERROR_INSUFFICIENT_BUFFER;
  if (!receive_all(reader->descriptor, answer, expected)) return IFD_COMMUNICATION_ERROR;
  *used = expected;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHCreateChannelByName(DWORD unit, LPSTR name) {
  struct reader fresh = {.is_used = 1, .unit = unit, .descriptor = -1, .address = {.sun_family = AF_UNIX}};
  const char *colon = strchr(name, ':');
  const char *path = colon == NULL ? name : colon + 1;
  if (strlen(path) >= sizeof fresh.address.sun_path) return IFD_COMMUNICATION_ERROR;
  strcpy(fresh.address.sun_path, path);
  RESPONSECODE result = IFD_COMMUNICATION_ERROR;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < READERS && result != IFD_SUCCESS; i++) {
    if (readers[i].is_used) continue;
    readers[i] = fresh;
    result = IFD_SUCCESS;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

// A channel without a name has no socket.
RESPONSECODE IFDHCreateChannel(DWORD unit, DWORD channel) {
  (void)unit, (void)channel;
  return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHCloseChannel(DWORD unit) {
  struct reader *reader = reader_of(unit);
  if (reader == NULL) return IFD_NO_SUCH_DEVICE;
  disconnect(reader);
  pthread_mutex_lock(&lock);
  reader->is_used = 0;
  pthread_mutex_unlock(&lock);
  return IFD_SUCCESS;
}

RESPONSECODE IFDHGetCapabilities(DWORD unit, DWORD tag, PDWORD length, PUCHAR value) {
  (void)unit;
  unsigned char answer;
  switch (tag) {
    // One reader may wait for a second one that acts as its card, so pcscd must not serialise them.
    case TAG_IFD_THREAD_SAFE: answer = 1; break;
    case TAG_IFD_SLOT_THREAD_SAFE: answer = 0; break;
    case TAG_IFD_SLOTS_NUMBER: answer = 1; break;
    case TAG_IFD_SIMULTANEOUS_ACCESS: answer = READERS; break;
    default: return IFD_ERROR_TAG;
  }
  if (*length < 1) return IFD_ERROR_INSUFFICIENT_BUFFER;
  *value = answer;
  *length = 1;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHSetCapabilities(DWORD unit, DWORD tag, DWORD length, PUCHAR value) {
  (void)unit, (void)tag, (void)length, (void)value;
  return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHSetProtocolParameters(DWORD unit, DWORD protocol, UCHAR flags, UCHAR pts1, UCHAR pts2, UCHAR pts3) {
  (void)unit, (void)protocol, (void)flags, (void)pts1, (void)pts2, (void)pts3;
  return IFD_NOT_SUPPORTED;
}

// PC/SC sees no card: cards are reached only by escape commands.
RESPONSECODE IFDHICCPresence(DWORD unit) {
  (void)unit;
  return IFD_ICC_NOT_PRESENT;
}

RESPONSECODE IFDHPowerICC(DWORD unit, DWORD action, PUCHAR atr, PDWORD length) {
  (void)unit, (void)atr;
  *length = 0;
  return action == IFD_POWER_DOWN ? IFD_SUCCESS : IFD_ERROR_POWER_ACTION;
}

RESPONSECODE IFDHTransmitToICC(DWORD unit, SCARD_IO_HEADER sent, PUCHAR command, DWORD count, PUCHAR answer,
                               PDWORD room, PSCARD_IO_HEADER received) {
  (void)unit, (void)sent, (void)command, (void)count, (void)answer, (void)received;
  *room = 0;
  return IFD_ICC_NOT_PRESENT;
}

RESPONSECODE IFDHControl(DWORD unit, DWORD code, PUCHAR command, DWORD count, PUCHAR answer, DWORD room, LPDWORD used) {
  struct reader *reader = reader_of(unit);
  *used = 0;
  if (reader == NULL) return IFD_NO_SUCH_DEVICE;
  if (code != SCARD_CTL_CODE(CONTACTLESS_IFD_VENDOR_EXCHANGE) && code != SCARD_CTL_CODE(CONTACTLESS_IFD_ESCAPE)) {
    return IFD_ERROR_NOT_SUPPORTED;
  }
  if (count == 0 || count > LONGEST_FRAME || !connected(reader)) return IFD_COMMUNICATION_ERROR;
  size_t length = 0;
  RESPONSECODE result = exchange(reader, command, count, answer, room, &length);
  if (result != IFD_SUCCESS) {
    disconnect(reader);
    return result;
  }
  *used = length;
  return length == 0 ? IFD_COMMUNICATION_ERROR : IFD_SUCCESS;
}

#endif
