internal import Ciphers
public import EMVData
public import Octets

/// A card in a terminal's log: a keyed hash of its account number, from which the number cannot be found without the key.
public struct CardHash: Hashable, Sendable {
  /// The number of bytes.
  public static let count = 32

  /// 32 bytes.
  public let octets: [UInt8]

  /// Reads a stored hash; nil for another number of bytes than 32.
  public init?(octets: [UInt8]) {
    guard octets.count == Self.count else { return nil }
    self.octets = octets
  }

  /// Hashes an account number: HMAC-SHA-256 over its digits.
  ///
  /// - Parameter key: The terminal's key, 32 bytes.
  public init(_ number: PrimaryAccountNumber, key: borrowing Secret) {
    octets = HMACSHA256.code(of: Array(number.exposedDigits.utf8), key: key)
  }
}
