internal import Crypto
internal import CryptoExtras

/// A public key in one of the encodings of the protocol, checked.
public struct RegisteredPublicKey: Sendable {
  private enum Key: Sendable {
    case ec(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  private let key: Key

  /// Reads a key.
  ///
  /// - Throws: `AssertionError`: `algorithm` for an encoding that is not implemented, `publicKey` for octets that are not a
  ///   key of this encoding.
  public init(_ octets: [UInt8], _ encoding: PublicKeyEncoding) throws(AssertionError) {
    do {
      switch encoding {
      case .ecX962Raw: key = .ec(try P256.Signing.PublicKey(x963Representation: octets))
      case .ecSubjectPublicKeyInfo: key = .ec(try P256.Signing.PublicKey(derRepresentation: octets))
      case .rsa2048Raw:
        key = .rsa(try _RSA.Signing.PublicKey(n: octets.prefix(256), e: octets.dropFirst(256)))
      case .rsa2048SubjectPublicKeyInfo: key = .rsa(try _RSA.Signing.PublicKey(derRepresentation: octets))
      default:
        throw AssertionError(.algorithm, "public key encoding \(encoding.rawValue) is not implemented")
      }
    } catch let error as AssertionError {
      throw error
    } catch {
      throw AssertionError(.publicKey, "\(octets.count) octets are not a public key of encoding \(encoding.rawValue)")
    }
  }

  /// Whether a signature over octets is valid. An algorithm that does not fit the key makes it invalid.
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
      Self.contentOfOctetString(signature).map { Self.isValid($0, of: key, octets, .PSS) } ?? false
    case (.rsa(let key), .rsaPKCS1WithSHA256DER):
      Self.contentOfOctetString(signature).map { Self.isValid($0, of: key, octets, .insecurePKCS1v1_5) } ?? false
    default: false
    }
  }

  private static func isValid(
    _ signature: [UInt8], of key: _RSA.Signing.PublicKey, _ octets: [UInt8], _ padding: _RSA.Signing.Padding
  ) -> Bool {
    key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: octets), padding: padding)
  }

  // An OCTET STRING of at most 65535 octets in DER (ITU-T X.690, section 8.7), with the shortest form of its length.
  private static func contentOfOctetString(_ der: [UInt8]) -> [UInt8]? {
    guard der.count >= 2, der[0] == 0x04 else { return nil }
    let (header, count): (Int, Int) =
      switch der[1] {
      case 0..<0x80: (2, Int(der[1]))
      case 0x81 where der.count > 2 && der[2] >= 0x80: (3, Int(der[2]))
      case 0x82 where der.count > 3 && der[2] > 0: (4, Int(der[2]) << 8 | Int(der[3]))
      default: (der.count, 1)
      }
    return der.count == header + count ? Array(der[header...]) : nil
  }
}
