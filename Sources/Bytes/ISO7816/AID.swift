internal import Octets

/// An application identifier: a registered provider identifier (RID) of 5 bytes and an extension of up to 11
/// (ISO/IEC 7816-4:2013, 12.2.3; EMV 4.4 Book 1, 12.2.1).
public struct AID: Hashable, Sendable, CustomStringConvertible {
  /// The lengths an AID can have, in bytes.
  public static let counts = 5...16

  /// The bytes.
  public let octets: [UInt8]

  /// Creates an AID, or nil when there are fewer than 5 or more than 16 bytes.
  public init?(_ octets: [UInt8]) {
    guard Self.counts.contains(octets.count) else { return nil }
    self.octets = octets
  }

  /// The registered provider identifier: the first five bytes.
  public var rid: [UInt8] { Array(octets.prefix(5)) }

  /// Whether this AID equals another AID or is a prefix of it (partial name selection).
  public func isPrefix(of other: AID) -> Bool { other.octets.starts(with: octets) }

  /// Upper-case hexadecimal digits.
  public var description: String { octets.hex }
}
