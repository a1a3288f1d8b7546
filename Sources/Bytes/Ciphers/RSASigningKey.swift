internal import CNettle
public import Octets

/// A private key of RSA with which a card signs dynamic data, or an authority certificates (EMV 4.4 Book 2, B2.1). GMP computes
/// with it, in a time that does not depend on the key.
public struct RSASigningKey: ~Copyable, Sendable {
  /// The public key.
  public let publicKey: RSAPublicKey
  private let size: contactless_rsa_size
  private let exponent: UInt
  private let limbs: Secret

  /// Creates a key from its primes. It allocates.
  ///
  /// - Parameters:
  ///   - p: A prime of 32 to 124 bytes whose first two bits are set.
  ///   - q: Another one of the same length.
  ///   - sent: The public exponent, 03 or 010001.
  /// - Returns: Nil for other lengths or first bits, and when the primes make no possible key with this exponent. Whether they are prime is
  ///   not checked.
  public init?(p: borrowing Secret, q: borrowing Secret, exponent sent: [UInt8] = [0x03]) {
    let count = p.count
    guard q.count == count, RSAPublicKey.bitRange.contains(count * 16), RSAPublicKey.isPermitted(sent) else {
      return nil
    }
    // GMP ends the process for the numbers 0 and 1.
    guard p.withExposedOctets({ $0[0] >= 0xC0 }), q.withExposedOctets({ $0[0] >= 0xC0 }) else { return nil }
    let (size, power) = (contactless_rsa_size_of(count), sent.reduce(UInt(0)) { $0 << 8 | UInt($1) })
    let limbs = Secret(count: contactless_rsa_key_bytes(size)) { _ in }
    var modulus = [UInt8](repeating: 0, count: 2 * count)
    let isKey = unsafe limbs.withExposedStorage { key in
      unsafe p.withExposedStorage { p in
        unsafe q.withExposedStorage { q in
          unsafe contactless_rsa_set_key(
            key.assumingMemoryBound(to: mp_limb_t.self), &modulus, p.assumingMemoryBound(to: UInt8.self),
            q.assumingMemoryBound(to: UInt8.self), count, power)
        }
      }
    }
    guard isKey == 1, let publicKey = RSAPublicKey(modulus: modulus, exponent: sent), modulus[0] & 0x80 != 0 else {
      return nil
    }
    (self.publicKey, self.size, exponent) = (publicKey, size, power)
    self.limbs = limbs
  }

  /// Creates a key from `exposedPrimes`, or returns nil as the other initialiser. It allocates.
  package init?(primes: borrowing Secret, exponent: [UInt8]) {
    let half = primes.count / 2
    guard primes.count.isMultiple(of: 2), half > 0 else { return nil }
    let p = primes.withExposedOctets { Secret(copying: $0.part(at: 0, count: half)) }
    let q = primes.withExposedOctets { Secret(copying: $0.part(at: half, count: half)) }
    self.init(p: p, q: q, exponent: exponent)
  }

  /// The primes, one after the other, most significant byte first: what a store keeps of a key.
  package borrowing func exposedPrimes() -> Secret {
    let count = publicKey.modulus.count / 2
    let stride = limbs.count / (5 * size.half + size.whole)
    return limbs.withExposedOctets { limbs in
      Secret(count: 2 * count) { primes in
        for prime in 0..<2 {
          for index in 0..<count {
            // Limbs are stored as the processor does, least significant byte first.
            primes.put(limbs[prime * size.half * stride + index], at: prime * count + count - 1 - index)
          }
        }
      }
    }
  }

  /// Returns an independent key with the same numbers.
  package borrowing func duplicate() -> RSASigningKey { RSASigningKey(copying: self) }

  private init(copying other: borrowing RSASigningKey) {
    (publicKey, size, exponent) = (other.publicKey, other.size, other.exponent)
    limbs = other.limbs.duplicate()
  }

  /// Reserves the memory that a signature needs, so that none is allocated at a tap.
  public borrowing func makeScratch() -> Secret { Secret(count: contactless_rsa_work_bytes(size)) { _ in } }

  /// Replaces data by their signature. Allocates nothing.
  ///
  /// - Parameters:
  ///   - block: As many bytes as the modulus has; they begin with 6A, so that they are below the modulus. Another length traps.
  ///   - scratch: The memory of `makeScratch`. It is wiped.
  /// - Returns: False, with zeros in place of the data, when the public key does not recover the data from the signature. Such
  ///   a signature reveals a factor of the key, and must not leave the card.
  public borrowing func sign(_ block: inout MutableSpan<UInt8>, scratch: borrowing Secret) -> Bool {
    precondition(block.count == publicKey.modulus.count, "a signed block is as long as the modulus")
    precondition(scratch.count == contactless_rsa_work_bytes(size), "the scratch memory is that of this key")
    return unsafe block.withUnsafeMutableBufferPointer { number in
      guard let base = number.baseAddress else { return false }
      return unsafe limbs.withExposedStorage { key in
        unsafe scratch.withExposedStorage { work in
          unsafe contactless_rsa_sign(
            base, number.count, key.assumingMemoryBound(to: mp_limb_t.self), size, exponent,
            work.assumingMemoryBound(to: mp_limb_t.self)) == 1
        }
      }
    }
  }
}
