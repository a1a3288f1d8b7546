internal import Octets

/// The reason why bytes are not a command or response APDU.
public struct APDUError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Equatable, Sendable {
    /// A command needs its four header bytes, a response its two status bytes.
    case tooShort(minimum: Int)
    /// The length field and the bytes that follow it disagree.
    case lengthMismatch(stated: Int, following: Int)
    /// An extended length field that is cut off.
    case truncatedLength
    /// An extended Lc of zero.
    case zeroLength
    /// More command data than a length field can state.
    case dataTooLong(limit: Int)
    /// An expected length outside 1...256 (short) or 1...65536 (extended).
    case expectedLengthOutOfRange(Int, limit: Int)
  }

  /// The kind of error.
  public let code: Code
  /// The number of bytes found.
  public let count: Int

  /// Creates an error.
  @inline(never)
  public init(_ code: Code, count: Int) {
    self.code = code
    self.count = count
  }

  /// A sentence with the value and the limit.
  public var description: String {
    switch code {
    case .tooShort(let minimum): "\(count.bytes): an APDU of this kind has at least \(minimum)"
    case .lengthMismatch(let stated, let following):
      "the length field states \(stated.bytes) of data, but \(following.bytes) follow"
    case .truncatedLength: "\(count.bytes): the extended length field is cut off"
    case .zeroLength: "an extended length field of zero has no meaning before data"
    case .dataTooLong(let limit): "\(count.bytes) of data: the limit is \(limit)"
    case .expectedLengthOutOfRange(let value, let limit): "expected length \(value): the range is 1...\(limit)"
    }
  }
}
