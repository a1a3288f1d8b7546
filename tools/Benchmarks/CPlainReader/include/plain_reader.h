#ifndef CONTACTLESS_PLAIN_READER_H
#define CONTACTLESS_PLAIN_READER_H

#include <stddef.h>
#include <stdint.h>

/// Connects to the card in a reader, sends a command several times, and resets the card. Writes the nanoseconds of each
/// command. Returns 0, or the error of the client library.
long plain_reader_measure(
    const char *reader, const uint8_t *command, size_t count, uint64_t *nanoseconds, size_t iterations);

#endif
