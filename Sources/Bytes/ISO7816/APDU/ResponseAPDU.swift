internal import Octets

/// A response APDU: data and a status word.
public struct ResponseAPDU: Hashable, Sendable {
  /// The largest response: 65536 bytes of data and the status word.
  public static let maximumCount = 65538

  /// The response data.
  public let data: [UInt8]
  /// The status word.
  public let status: StatusWord

  /// Composes a response.
  public init(data: [UInt8] = [], status: StatusWord = .ok) {
    self.data = data
    self.status = status
  }

  /// Reads a response from the wire.
  ///
  /// - Throws: `APDUError` for fewer than two bytes.
  public init(parsing octets: Span<UInt8>) throws(APDUError) {
    guard octets.count >= 2 else { throw APDUError(.tooShort(minimum: 2), count: octets.count) }
    let end = octets.count - 2
    data = octets.extracting(0..<end).array
    status = StatusWord(rawValue: UInt16(octets[end]) << 8 | UInt16(octets[end + 1]))
  }

  /// The bytes for the wire.
  public var encoded: [UInt8] { data + [UInt8(status.rawValue >> 8), UInt8(status.rawValue & 0xFF)] }
}
