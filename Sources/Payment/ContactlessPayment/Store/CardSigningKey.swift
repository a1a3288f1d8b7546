public import Ciphers
package import EMVCard
package import Octets

/// The private key with which a card signs: one for the card, not one for each payment. Its issuer provisions it; a store seals
/// it like the payment keys and removes it with the card.
public final class CardSigningKey: Sendable {
  private let key: RSASigningKey

  /// Takes a key.
  public init(_ key: consuming RSASigningKey) { self.key = key }

  /// Creates a key of its primes and its public exponent, as an issuer delivers it; nil when they make no key.
  package convenience init?(p: borrowing Secret, q: borrowing Secret, exponent: [UInt8]) {
    guard let key = RSASigningKey(p: p, q: q, exponent: exponent) else { return nil }
    self.init(key)
  }

  /// Reads what `exposedOctets` returned; nil for other bytes.
  package convenience init?(octets: borrowing Secret) {
    let layout = octets.withExposedOctets { octets -> (exponent: [UInt8], primes: Int)? in
      let count = Int(octets[0])
      guard octets.count > 1 + count else { return nil }
      return (octets.part(at: 1, count: count).array, 1 + count)
    }
    guard let layout else { return nil }
    let primes = octets.withExposedOctets {
      Secret(copying: $0.part(at: layout.primes, count: $0.count - layout.primes))
    }
    guard let key = RSASigningKey(primes: primes, exponent: layout.exponent) else { return nil }
    self.init(key)
  }

  /// The public key, which the certificate of the card certifies.
  public var publicKey: RSAPublicKey { key.publicKey }

  /// The content of a store: the length of the exponent, the exponent, and the primes.
  package func exposedOctets() -> Secret {
    let primes = key.exposedPrimes()
    let exponent = publicKey.exponent
    return Secret(count: 1 + exponent.count + primes.count) { octets in
      octets.put(UInt8(exponent.count), at: 0)
      octets.copy(exponent.span, to: 1)
      primes.withExposedOctets { octets.copy($0, to: 1 + exponent.count) }
    }
  }

  /// An independent key for one payment.
  func duplicate() -> RSASigningKey { key.duplicate() }

  /// Compares a key with the certificate of a card.
  ///
  /// - Throws: `WalletStoreError.signingKeyMissing` or `.signingKeyDiffers`.
  package static func check(_ key: CardSigningKey?, for image: CardImage) throws(WalletStoreError) {
    guard let key else {
      if image.signingKey != nil { throw .signingKeyMissing }
      return
    }
    guard key.publicKey == image.signingKey else { throw .signingKeyDiffers }
  }
}
