internal import Crypto
internal import Octets

/// The determination of a content encryption key from an agreed secret (RFC 7518 section 4.6).
struct KeyAgreement {
  let key: KeyAlgorithm
  let content: ContentAlgorithm
  let parties: ConcatKeyDerivation.Parties

  /// Determines the content encryption key of a received JWE.
  ///
  /// - Parameters:
  ///   - secret: The agreed secret.
  ///   - wrapped: The second part of the JWE.
  /// - Throws: `JOSEError`: `malformed` when a key is present with direct agreement, `notAuthentic` when it cannot be
  ///   unwrapped.
  func contentKey(from secret: borrowing Secret, unwrapping wrapped: [UInt8]) throws(JOSEError) -> SymmetricKey {
    let derived = derivedKey(from: secret)
    guard key.wrappingKeyCount != nil else {
      // RFC 7516 section 5.2 step 10: the part is empty with direct agreement.
      guard wrapped.isEmpty else { throw JOSEError(.malformed, "\(key.rawValue) has no encrypted key") }
      return derived
    }
    do {
      return try AES.KeyWrap.unwrap(wrapped, using: derived)
    } catch {
      throw .forgery
    }
  }

  /// Creates the content encryption key of a new JWE.
  ///
  /// - Returns: The key, and the second part of the JWE.
  func newContentKey(from secret: borrowing Secret) throws(JOSEError) -> (key: SymmetricKey, wrapped: [UInt8]) {
    let derived = derivedKey(from: secret)
    guard key.wrappingKeyCount != nil else { return (derived, []) }
    let contentKey = SymmetricKey(size: SymmetricKeySize(bitCount: content.keyCount * 8))
    do {
      return (contentKey, [UInt8](try AES.KeyWrap.wrap(contentKey, using: derived)))
    } catch {
      throw JOSEError(.invalidKey, "AES key wrapping does not accept the key")
    }
  }

  // RFC 7518 section 4.6.2: the algorithm is `enc` for direct agreement and `alg` otherwise.
  private func derivedKey(from secret: borrowing Secret) -> SymmetricKey {
    let count = key.wrappingKeyCount ?? content.keyCount
    let algorithm = key.wrappingKeyCount == nil ? content.rawValue : key.rawValue
    return secret.withExposedOctets { octets in
      let agreed = unsafe octets.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
      return ConcatKeyDerivation.key(from: agreed, for: algorithm, count: count, parties)
    }
  }
}
