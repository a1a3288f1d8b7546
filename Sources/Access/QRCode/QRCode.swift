internal import CZXing

// These functions are read with the name of the module in front: `QRCode.png(of:)`, `QRCode.text(inPNG:)`.

/// The largest PNG file that is read, in bytes: 8 MiB, more than a photograph of the allowed size needs.
public let maximumFileSize = 8 << 20
/// The largest width and height of a PNG image that is read, in pixels.
public let maximumSide = 4_096
/// The longest text that is drawn, in bytes of UTF-8 (ISO/IEC 18004, table 7: version 40 at level L holds 2 953 bytes, two
/// of which name the encoding).
public let maximumTextSize = 2_951

/// The side of a module, the smallest square of a QR code, in pixels.
let moduleSide = 8

/// Draws a text as a QR code.
///
/// The image is greyscale, has eight pixels for each module, and a white border of four modules.
///
/// - Parameter text: The text, 1 to `maximumTextSize` bytes of UTF-8.
/// - Returns: The PNG file, at most about 100 kB.
/// - Throws: `QRCodeError.emptyText`, `.textTooLong` or `.outOfMemory`.
public func png(of text: String) throws(QRCodeError) -> [UInt8] {
  let octets = Array(text.utf8CString.dropLast())
  guard !octets.isEmpty else { throw .emptyText }
  guard octets.count <= maximumTextSize else { throw .textTooLong(bytes: octets.count) }
  var pixels: UnsafeMutablePointer<UInt8>?
  // The functions of CZXing read `octets` during the call only, and leave in `pixels` a square that is released below.
  let side = Int(unsafe czxing_write(octets, octets.count, 0, &pixels))
  guard side > 0, let modules = unsafe pixels else { throw .textTooLong(bytes: octets.count) }
  defer { unsafe czxing_free(modules) }
  let square = unsafe Array(UnsafeBufferPointer(start: modules, count: side * side))
  return try GreyImage(enlarging: square, side: side, by: moduleSide).png()
}

/// Reads the text of the first QR code in a PNG image, at any angle. A transparent image is read on white paper.
///
/// Blocks for up to a few seconds for an image of the largest size.
///
/// - Parameter octets: The PNG file, at most `maximumFileSize` bytes. Neither side of the image may be longer than
///   `maximumSide`.
/// - Returns: The text, which comes from outside and can be anything.
/// - Throws: `QRCodeError.fileTooLarge`, `.imageTooLarge`, `.notAnImage` or `.noCode`.
public func text(inPNG octets: [UInt8]) throws(QRCodeError) -> String {
  let image = try GreyImage(png: octets)
  var text: UnsafeMutablePointer<CChar>?
  // CZXing reads the pixels during the call only, and leaves in `text` memory that is released below.
  let count = Int(unsafe czxing_read(image.pixels, Int32(image.width), Int32(image.height), &text))
  guard count >= 0, let characters = unsafe text else { throw .noCode }
  defer { unsafe czxing_free(characters) }
  return unsafe String(decoding: UnsafeRawBufferPointer(start: characters, count: count), as: UTF8.self)
}
