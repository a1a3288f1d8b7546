internal import Ciphers
internal import EMVCryptography
internal import Octets

/// The signing key of an armed card, with the memory that a signature needs: none is allocated at a tap.
struct CardSigning: ~Copyable, Sendable {
  private let key: RSASigningKey
  private let scratch: Secret

  /// Reserves the memory; nil without a key.
  init?(_ key: consuming RSASigningKey?) {
    guard let key else { return nil }
    scratch = key.makeScratch()
    self.key = key
  }

  var publicKey: RSAPublicKey { key.publicKey }

  /// Completes a block and replaces it by its signature. Returns false when the public key does not confirm it: the block
  /// holds zeros then.
  borrowing func finish(_ block: inout MutableSpan<UInt8>, covering message: consuming SHA1Stream) -> Bool {
    key.finish(&block, covering: message, scratch: scratch)
  }
}
