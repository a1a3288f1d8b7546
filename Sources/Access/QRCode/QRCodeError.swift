/// A text that cannot be drawn as a QR code, or an image without a QR code that can be read.
public enum QRCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text has no character.
  case emptyText
  /// The text does not fit into a QR code.
  case textTooLong(bytes: Int)
  /// The file has more than `maximumFileSize` bytes.
  case fileTooLarge(bytes: Int)
  /// A side of the image is longer than `maximumSide`.
  case imageTooLarge(width: Int, height: Int)
  /// The file is not a PNG image, or it is damaged. The reason is that of libpng.
  case notAnImage(reason: String)
  /// The image has no QR code that can be read.
  case noCode
  /// The system has no memory for the image.
  case outOfMemory

  /// A sentence with the value and the limit.
  public var description: String {
    switch self {
    case .emptyText: "a QR code of an empty text cannot be drawn"
    case .textTooLong(let bytes):
      "\(bytes) bytes do not fit into a QR code, which holds at most \(maximumTextSize) bytes"
    case .fileTooLarge(let bytes): "the file has \(bytes) bytes: at most \(maximumFileSize) are read"
    case .imageTooLarge(let width, let height):
      "the image has \(width) × \(height) pixels: at most \(maximumSide) × \(maximumSide) are read"
    case .notAnImage(let reason): "the file is not a PNG image that can be read: \(reason)"
    case .noCode: "the image has no QR code that can be read"
    case .outOfMemory: "the system has no memory for the image"
    }
  }
}
