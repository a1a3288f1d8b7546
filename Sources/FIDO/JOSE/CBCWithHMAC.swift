internal import Crypto
internal import CryptoExtras
internal import Octets

/// Authenticated encryption with AES-CBC and HMAC (RFC 7518 section 5.2).
///
/// The first half of the key authenticates, the second half encrypts. The tag is the first half of the HMAC over the
/// additional data, the initialization vector, the ciphertext, and the number of bits of the additional data.
struct CBCWithHMAC<Hash: HashFunction> {
  private let macKey: SymmetricKey
  private let encryptionKey: SymmetricKey

  init(_ key: SymmetricKey) {
    var octets = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
    defer { octets.wipe() }
    macKey = SymmetricKey(data: octets.prefix(octets.count / 2))
    encryptionKey = SymmetricKey(data: octets.dropFirst(octets.count / 2))
  }

  func encrypt(
    _ plaintext: [UInt8], _ vector: [UInt8], _ authenticated: [UInt8]
  ) throws(JOSEError) -> EncryptedContent {
    do {
      let ciphertext = [UInt8](
        try AES._CBC.encrypt(plaintext, using: encryptionKey, iv: AES._CBC.IV(ivBytes: vector)))
      return EncryptedContent(
        vector: vector, ciphertext: ciphertext, tag: tag(ciphertext, vector, authenticated))
    } catch {
      throw JOSEError(.invalidKey, "AES-CBC does not accept the key")
    }
  }

  func decrypt(_ content: EncryptedContent, _ authenticated: [UInt8]) throws(JOSEError) -> [UInt8] {
    let expected = tag(content.ciphertext, content.vector, authenticated)
    // The tag is compared before the padding is removed: a distinguishable padding error is an oracle (RFC 7516
    // section 11.5).
    guard constantTimeEqual(expected.span, content.tag.span) else { throw .forgery }
    do {
      return [UInt8](
        try AES._CBC.decrypt(
          content.ciphertext, using: encryptionKey, iv: AES._CBC.IV(ivBytes: content.vector)))
    } catch {
      throw .forgery
    }
  }

  private func tag(_ ciphertext: [UInt8], _ vector: [UInt8], _ authenticated: [UInt8]) -> [UInt8] {
    var mac = HMAC<Hash>(key: macKey)
    mac.update(data: authenticated)
    mac.update(data: vector)
    mac.update(data: ciphertext)
    mac.update(data: (UInt64(authenticated.count) * 8).bigEndianOctets)
    return Array(Array(mac.finalize()).prefix(Hash.Digest.byteCount / 2))
  }
}
