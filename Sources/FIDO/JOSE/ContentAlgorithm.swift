internal import Crypto
internal import Octets

/// How the content of a JWE is encrypted and authenticated (RFC 7518 section 5): the values of `enc` that this library
/// implements.
public enum ContentAlgorithm: String, CaseIterable, Hashable, Sendable {
  /// AES-GCM with a key of 128 bits (RFC 7518 section 5.3).
  case a128GCM = "A128GCM"
  /// AES-GCM with a key of 256 bits (RFC 7518 section 5.3).
  case a256GCM = "A256GCM"
  /// AES-CBC with a key of 128 bits and HMAC SHA-256 (RFC 7518 section 5.2.3).
  case a128CBCHS256 = "A128CBC-HS256"
  /// AES-CBC with a key of 256 bits and HMAC SHA-512 (RFC 7518 section 5.2.5).
  case a256CBCHS512 = "A256CBC-HS512"

  /// The size of the content encryption key in bytes. A key of AES-CBC with HMAC is two keys of equal size.
  var keyCount: Int { counts.key }
  /// The size of the initialization vector in bytes.
  var vectorCount: Int { counts.vector }
  /// The size of the authentication tag in bytes.
  var tagCount: Int { counts.tag }

  private var counts: (key: Int, vector: Int, tag: Int) {
    switch self {
    case .a128GCM: (16, 12, 16)
    case .a256GCM: (32, 12, 16)
    case .a128CBCHS256: (32, 16, 16)
    case .a256CBCHS512: (64, 16, 32)
    }
  }
}

/// An encrypted content: the last three parts of a JWE in compact serialization.
struct EncryptedContent: Equatable {
  let vector: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]
}

extension ContentAlgorithm {
  /// Encrypts a content.
  ///
  /// - Parameters:
  ///   - plaintext: The content.
  ///   - key: The content encryption key of `keyCount` bytes.
  ///   - vector: A fresh initialization vector of `vectorCount` bytes.
  ///   - authenticated: The additional authenticated data.
  func encrypt(
    _ plaintext: [UInt8], key: SymmetricKey, vector: [UInt8], authenticated: [UInt8]
  ) throws(JOSEError) -> EncryptedContent {
    precondition(key.bitCount == keyCount * 8, "the content encryption key has the wrong size")
    precondition(vector.count == vectorCount, "the initialization vector has the wrong size")
    switch self {
    case .a128CBCHS256: return try CBCWithHMAC<SHA256>(key).encrypt(plaintext, vector, authenticated)
    case .a256CBCHS512: return try CBCWithHMAC<SHA512>(key).encrypt(plaintext, vector, authenticated)
    case .a128GCM, .a256GCM:
      do {
        let box = try AES.GCM.seal(
          plaintext, using: key, nonce: AES.GCM.Nonce(data: vector), authenticating: authenticated)
        return EncryptedContent(vector: vector, ciphertext: [UInt8](box.ciphertext), tag: [UInt8](box.tag))
      } catch {
        throw JOSEError(.invalidKey, "AES-GCM does not accept the key")
      }
    }
  }

  /// Decrypts and authenticates a content.
  ///
  /// - Throws: `JOSEError` with code `malformed` for parts of the wrong size, `notAuthentic` for everything else.
  func decrypt(
    _ content: EncryptedContent, key: SymmetricKey, authenticated: [UInt8]
  ) throws(JOSEError) -> [UInt8] {
    // The key may come from the peer, wrapped; its size is the peer's choice.
    guard key.bitCount == keyCount * 8 else { throw .forgery }
    // A truncated tag would make forgery easy (NIST SP 800-38D, appendix C), so only the full size is accepted.
    guard content.vector.count == vectorCount, content.tag.count == tagCount else {
      throw JOSEError(
        .malformed,
        "\(rawValue) needs an initialization vector of \(vectorCount) and a tag of \(tagCount.bytes); the JWE has "
          + "\(content.vector.count) and \(content.tag.count)")
    }
    switch self {
    case .a128CBCHS256: return try CBCWithHMAC<SHA256>(key).decrypt(content, authenticated)
    case .a256CBCHS512: return try CBCWithHMAC<SHA512>(key).decrypt(content, authenticated)
    case .a128GCM, .a256GCM:
      do {
        let box = try AES.GCM.SealedBox(
          nonce: AES.GCM.Nonce(data: content.vector), ciphertext: content.ciphertext, tag: content.tag)
        return [UInt8](try AES.GCM.open(box, using: key, authenticating: authenticated))
      } catch {
        throw .forgery
      }
    }
  }
}
