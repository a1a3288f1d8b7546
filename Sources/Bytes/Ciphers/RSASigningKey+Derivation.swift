internal import CNettle
public import Octets

extension RSASigningKey {
  /// Derives a key with the exponent 3 from a seed: the same seed always gives the same key, so that test cards need no stored
  /// keys. It takes some milliseconds and allocates. For test keys only.
  ///
  /// - Parameters:
  ///   - count: The length of the modulus in bytes, an even number from 64 to 248; another one traps.
  ///   - seed: The secret of the key.
  public static func derived(count: Int, from seed: borrowing Secret) -> RSASigningKey {
    precondition(count % 2 == 0 && bitRange.contains(count * 8), "a modulus has an even number of 64 to 248 bytes")
    var draw: UInt32 = 0
    while true {
      let p = prime(count: count / 2, seed, &draw)
      let q = prime(count: count / 2, seed, &draw)
      if let key = RSASigningKey(p: p, q: q) { return key }
    }
  }

  private static var bitRange: ClosedRange<Int> { RSAPublicKey.bitRange }

  /// The prime after the next number of a seed: SHA-256 of seed, number of the draw and number of the block. The two highest bits
  /// are set, so that two primes make a modulus of the full length.
  private static func prime(count: Int, _ seed: borrowing Secret, _ draw: inout UInt32) -> Secret {
    while true {
      draw += 1
      var octets: [UInt8] = []
      seed.withExposedOctets { seed in
        var block: UInt32 = 0
        while octets.count < count {
          octets += SHA256.digest(of: seed.array + draw.bigEndianOctets + block.bigEndianOctets)
          block += 1
        }
      }
      octets.removeLast(octets.count - count)
      octets[0] |= 0xC0
      let isPrime = unsafe contactless_next_prime(&octets, count)
      defer { octets.wipe() }
      if isPrime == 1 { return Secret(copying: octets) }
    }
  }
}
