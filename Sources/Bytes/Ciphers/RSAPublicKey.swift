internal import CNettle

/// A public key of RSA for the recovery of certificates and signatures (EMV 4.4 Book 2, B2.1).
public struct RSAPublicKey: Hashable, Sendable {
  /// The permitted lengths of a modulus, in bits: the lower limit is this engine's, the upper one that of Book 2.
  public static let bitRange = 512...1984

  /// The modulus, most significant byte first, without leading zeros.
  public let modulus: [UInt8]
  /// The exponent as it is sent: 03 or 010001.
  public let exponent: [UInt8]

  /// Creates a key; nil unless the modulus is odd and has a permitted length in whole bytes, and the exponent is 3 or 65537.
  public init?(modulus: [UInt8], exponent: [UInt8]) {
    guard let first = modulus.first, let last = modulus.last, first != 0, last & 1 == 1,
      Self.bitRange.contains(modulus.count * 8 - first.leadingZeroBitCount), Self.isPermitted(exponent)
    else { return nil }
    self.modulus = modulus
    self.exponent = exponent
  }

  /// Whether an exponent is 3 or 65537, in the shortest form.
  package static func isPermitted(_ exponent: [UInt8]) -> Bool { [[0x03], [0x01, 0x00, 0x01]].contains(exponent) }

  /// Raises a number to the public exponent: `number`^`exponent` mod `modulus`.
  ///
  /// One exponentiation, with values that are all public. It allocates.
  ///
  /// - Parameter number: As many bytes as the modulus has.
  /// - Returns: As many bytes as the modulus has; nil for another length, and for a number that is not below the modulus.
  package func power(of number: [UInt8]) -> [UInt8]? {
    guard number.count == modulus.count else { return nil }
    var power = [UInt8](repeating: 0, count: modulus.count)
    let exponent = exponent.reduce(UInt(0)) { $0 << 8 | UInt($1) }
    return unsafe contactless_rsa_public(&power, number, modulus, modulus.count, exponent) == 1 ? power : nil
  }
}
