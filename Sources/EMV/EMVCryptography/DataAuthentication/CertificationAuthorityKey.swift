public import Ciphers
internal import Octets

/// A public key of a payment scheme's certification authority, by which a terminal checks issuer certificates (EMV 4.4
/// Book 2, section 5.1 and table 3).
public struct CertificationAuthorityKey: Hashable, Sendable {
  /// What is wrong with the description of a key. A terminal profile is refused with all of them.
  public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The registered application provider identifier does not have five bytes.
    case provider(count: Int)
    /// The modulus is even, begins with 00, or has a length outside 512...1984 bits; or the exponent is not 3 or 65537.
    case key
    /// The checksum is not the SHA-1 of provider, index, modulus and exponent.
    case checksum

    /// A sentence with the limit.
    public var description: String {
      switch self {
      case .provider(let count): "the RID has \(count.bytes): 5 are needed"
      case .key: "the modulus must be odd with \(RSAPublicKey.bitRange) bits, and the exponent 03 or 010001"
      case .checksum: "the checksum is not the SHA-1 of RID, index, modulus and exponent"
      }
    }
  }

  /// The registered application provider identifier: the first five bytes of the AID.
  public let provider: [UInt8]
  /// The index, tag 8F of the card and 9F22 of the terminal.
  public let index: UInt8
  /// The key.
  public let key: RSAPublicKey

  /// Creates a key.
  ///
  /// - Parameter checksum: The SHA-1 of provider, index, modulus and exponent, 20 bytes.
  /// - Throws: The first `Fault`; `faults` lists all of them.
  public init(
    provider: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8], checksum: [UInt8]
  ) throws(Fault) {
    let faults = Self.faults(
      provider: provider, index: index, modulus: modulus, exponent: exponent, checksum: checksum)
    if let first = faults.first { throw first }
    guard let key = RSAPublicKey(modulus: modulus, exponent: exponent) else { throw .key }
    (self.provider, self.index, self.key) = (provider, index, key)
  }

  /// Returns everything that is wrong with the description of a key; empty for a usable one.
  public static func faults(
    provider: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8], checksum: [UInt8]
  ) -> [Fault] {
    var faults: [Fault] = []
    if provider.count != 5 { faults.append(.provider(count: provider.count)) }
    if RSAPublicKey(modulus: modulus, exponent: exponent) == nil { faults.append(.key) }
    let right = Self.checksum(provider: provider, index: index, modulus: modulus, exponent: exponent)
    if right != checksum { faults.append(.checksum) }
    return faults
  }

  /// The SHA-1 of provider, index, modulus and exponent, 20 bytes.
  public static func checksum(provider: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    SHA1.digest(of: provider, [index], modulus, exponent)
  }
}

/// An issuer certificate that must not be accepted any more (EMV 4.4 Book 2, 5.1.3).
public struct RevokedCertificate: Hashable, Sendable {
  /// The provider of the authority, five bytes.
  public let provider: [UInt8]
  /// The index of the authority's key.
  public let index: UInt8
  /// The serial number of the certificate, three bytes.
  public let serialNumber: [UInt8]

  /// Creates an entry of a revocation list.
  public init(provider: [UInt8], index: UInt8, serialNumber: [UInt8]) {
    (self.provider, self.index, self.serialNumber) = (provider, index, serialNumber)
  }
}
