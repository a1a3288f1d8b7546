#ifndef CONTACTLESS_CZXING_H
#define CONTACTLESS_CZXING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Draws `text` (UTF-8) as a QR code with a quiet zone of four modules into a square of bytes, 0 for black and 255 for
/// white.
///
/// Returns the side of the square in pixels, or 0 if the text is too long for a QR code. The caller releases `*pixels`
/// with `czxing_free`.
int32_t czxing_write(const char *text, size_t length, int32_t minimum_side, uint8_t **pixels);

/// Reads the first QR code of a greyscale image. Returns the length of its text in bytes, or -1 if the image has no QR
/// code. The caller releases `*text` with `czxing_free`.
int64_t czxing_read(const uint8_t *pixels, int32_t width, int32_t height, char **text);

/// Releases the memory that a function of this header has returned.
void czxing_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
