internal import CPNG

/// A greyscale image with 8 bits for each pixel, 0 for black, row by row from the top.
struct GreyImage {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt8]

  /// Repeats each pixel of a square.
  init(enlarging square: [UInt8], side: Int, by factor: Int) {
    width = side * factor
    height = side * factor
    pixels = []
    pixels.reserveCapacity(width * height)
    for row in 0..<side {
      let line = square[row * side..<(row + 1) * side].flatMap { repeatElement($0, count: factor) }
      for _ in 0..<factor { pixels += line }
    }
  }
}

// The simplified interface of libpng (manual, section 5). It catches libpng's jumps itself, so none crosses Swift code.
extension GreyImage {
  /// Reads a PNG file of any kind. Transparent pixels become white.
  ///
  /// The size is checked before memory is allocated for the pixels. libpng limits the memory of all other chunks to 8 MB
  /// (`PNG_USER_CHUNK_MALLOC_MAX`).
  init(png octets: [UInt8]) throws(QRCodeError) {
    guard octets.count <= maximumFileSize else { throw .fileTooLarge(bytes: octets.count) }
    var image = unsafe Self.control()
    // libpng frees what `image` holds when a call fails; `png_image_free` has nothing to do then.
    defer { unsafe png_image_free(&image) }
    let outcome: Result<[UInt8], QRCodeError> = unsafe octets.withUnsafeBytes { file in
      guard unsafe png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else {
        return unsafe .failure(Self.damage(image))
      }
      let (width, height) = unsafe (Int(image.width), Int(image.height))
      guard max(width, height) <= maximumSide else { return .failure(.imageTooLarge(width: width, height: height)) }
      unsafe image.format = png_uint_32(PNG_FORMAT_GRAY)
      // libpng draws a transparent image over what is already there: white paper.
      var pixels = [UInt8](repeating: 255, count: width * height)
      guard unsafe png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else {
        return unsafe .failure(Self.damage(image))
      }
      return .success(pixels)
    }
    pixels = try outcome.get()
    width = unsafe Int(image.width)
    height = unsafe Int(image.height)
  }

  /// Returns the image as a PNG file.
  func png() throws(QRCodeError) -> [UInt8] {
    var image = unsafe Self.control()
    unsafe image.width = png_uint_32(width)
    unsafe image.height = png_uint_32(height)
    unsafe image.format = png_uint_32(PNG_FORMAT_GRAY)
    // Each row has one byte more, deflate adds 5 bytes for each 16 kB that it cannot shorten, and the chunks are short
    // (PNG_IMAGE_PNG_SIZE_MAX of png.h, which Swift cannot call).
    var size = (width + 1) * height * 9 / 8 + 4_096
    var file = [UInt8](repeating: 0, count: size)
    guard unsafe png_image_write_to_memory(&image, &file, &size, 0, pixels, 0, nil) != 0 else { throw .outOfMemory }
    return Array(file.prefix(size))
  }

  private static func control() -> png_image {
    var image = unsafe png_image()
    unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
    return unsafe image
  }

  /// The message of libpng, at most 63 characters of its own.
  private static func damage(_ image: png_image) -> QRCodeError {
    let message = unsafe withUnsafeBytes(of: image.message) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return .notAnImage(reason: message)
  }
}
