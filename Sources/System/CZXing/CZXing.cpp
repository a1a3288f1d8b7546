#include "CZXing.h"

#include <cstdlib>
#include <cstring>
#include <string>

#define ZX_USE_UTF8 1
#include <ZXing/BarcodeFormat.h>
#include <ZXing/BitMatrix.h>
#include <ZXing/CharacterSet.h>
#include <ZXing/MultiFormatWriter.h>
#include <ZXing/ReadBarcode.h>

// No C++ exception may reach a caller in C or Swift.

extern "C" int32_t czxing_write(const char *text, size_t length, int32_t minimum_side, uint8_t **pixels) try {
  auto writer = ZXing::MultiFormatWriter(ZXing::BarcodeFormat::QRCode)
                    .setEncoding(ZXing::CharacterSet::UTF8)
                    .setMargin(4);
  const auto matrix = writer.encode(std::string(text, length), minimum_side, minimum_side);
  const auto side = static_cast<size_t>(matrix.width());
  auto *square = static_cast<uint8_t *>(std::malloc(side * side));
  if (square == nullptr) return 0;
  for (size_t row = 0; row < side; row++) {
    for (size_t column = 0; column < side; column++) {
      square[row * side + column] = matrix.get(static_cast<int>(column), static_cast<int>(row)) ? 0 : 255;
    }
  }
  *pixels = square;
  return static_cast<int32_t>(side);
} catch (...) {
  return 0;
}

extern "C" int64_t czxing_read(const uint8_t *pixels, int32_t width, int32_t height, char **text) try {
  const auto image = ZXing::ImageView(pixels, width, height, ZXing::ImageFormat::Lum);
  auto hints = ZXing::DecodeHints().setFormats(ZXing::BarcodeFormat::QRCode).setTryHarder(true);
  auto result = ZXing::ReadBarcode(image, hints);
  // The first attempt compares each pixel with those around it, as a photograph needs; a pale code needs this one.
  if (!result.isValid()) result = ZXing::ReadBarcode(image, hints.setBinarizer(ZXing::Binarizer::GlobalHistogram));
  if (!result.isValid()) return -1;
  const auto content = result.text();
  auto *copy = static_cast<char *>(std::malloc(content.size() + 1));
  if (copy == nullptr) return -1;
  std::memcpy(copy, content.data(), content.size());
  *text = copy;
  return static_cast<int64_t>(content.size());
} catch (...) {
  return -1;
}

extern "C" void czxing_free(void *memory) { std::free(memory); }
