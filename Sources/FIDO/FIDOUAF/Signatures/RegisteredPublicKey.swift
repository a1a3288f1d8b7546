internal import Crypto
internal import CryptoExtras
internal import Octets

/// A public key in one of the encodings of the protocol, checked.
public struct RegisteredPublicKey: Sendable {
  private enum Key: Sendable {
    case ec(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  private let key: Key

  /// Reads a key.
  ///
  /// - Throws: `AssertionError`: `unacceptableAlgorithm` for an encoding that is not implemented, `unacceptableKey` for bytes that
  ///   are not a key of this encoding.
  public init(_ octets: [UInt8], _ encoding: PublicKeyEncoding) throws(AssertionError) {
    do {
      switch encoding {
      case .ecX962Raw: key = .ec(try P256.Signing.PublicKey(x963Representation: octets))
      case .ecSubjectPublicKeyInfo: key = .ec(try P256.Signing.PublicKey(derRepresentation: octets))
      case .rsa2048Raw:
        key = .rsa(try Self.of2048Bits(_RSA.Signing.PublicKey(n: octets.prefix(256), e: octets.dropFirst(256))))
      case .rsa2048SubjectPublicKeyInfo:
        key = .rsa(try Self.of2048Bits(_RSA.Signing.PublicKey(derRepresentation: octets)))
      default:
        throw AssertionError(.unacceptableAlgorithm, "public key encoding \(encoding.rawValue) is not implemented")
      }
    } catch let error as AssertionError {
      throw error
    } catch {
      throw AssertionError(
        .unacceptableKey, "\(octets.count.bytes) are not a public key of encoding \(encoding.rawValue)")
    }
  }

  // Both encodings of RSA keys are defined for 2048 bits only.
  private static func of2048Bits(_ key: _RSA.Signing.PublicKey) throws(AssertionError) -> _RSA.Signing.PublicKey {
    guard key.keySizeInBits == 2_048 else {
      throw AssertionError(.unacceptableKey, "an RSA key of \(key.keySizeInBits) bits: 2048 are required")
    }
    return key
  }

  /// Whether a signature over bytes is valid. An algorithm that does not fit the key makes it invalid.
  public func isValid(_ signature: [UInt8], _ algorithm: SignatureAlgorithm, over octets: [UInt8]) -> Bool {
    switch (key, algorithm) {
    case (.ec(let key), .p256ECDSAWithSHA256Raw):
      (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: octets) }
        ?? false
    case (.ec(let key), .p256ECDSAWithSHA256DER):
      (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map { key.isValidSignature($0, for: octets) }
        ?? false
    case (.rsa(let key), .rsaPSSWithSHA256Raw): Self.isValid(signature, of: key, octets, .PSS)
    case (.rsa(let key), .rsaPKCS1WithSHA256Raw): Self.isValid(signature, of: key, octets, .insecurePKCS1v1_5)
    case (.rsa(let key), .rsaPSSWithSHA256DER):
      OctetString.content(of: signature).map { Self.isValid($0, of: key, octets, .PSS) } ?? false
    case (.rsa(let key), .rsaPKCS1WithSHA256DER):
      OctetString.content(of: signature).map { Self.isValid($0, of: key, octets, .insecurePKCS1v1_5) } ?? false
    default: false
    }
  }

  private static func isValid(
    _ signature: [UInt8], of key: _RSA.Signing.PublicKey, _ octets: [UInt8], _ padding: _RSA.Signing.Padding
  ) -> Bool {
    key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: octets), padding: padding)
  }
}
