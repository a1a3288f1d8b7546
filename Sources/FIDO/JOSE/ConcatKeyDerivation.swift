internal import Crypto
internal import Octets

/// The Concat key derivation function with SHA-256 (NIST SP 800-56A section 5.8.1, RFC 7518 section 4.6.2).
enum ConcatKeyDerivation {
  /// The party information of RFC 7518 section 4.6.1.
  struct Parties: Equatable {
    /// The producer, tag `apu`, decoded.
    var producer: [UInt8] = []
    /// The recipient, tag `apv`, decoded.
    var recipient: [UInt8] = []
  }

  /// Derives a key from an agreed secret.
  ///
  /// - Parameters:
  ///   - secret: The shared secret Z.
  ///   - algorithm: The algorithm that the key is for: `enc` for direct agreement, `alg` otherwise.
  ///   - count: The size of the key in bytes, at most 64.
  static func key(from secret: SymmetricKey, for algorithm: String, count: Int, _ parties: Parties) -> SymmetricKey {
    let information = otherInformation(algorithm, count: count, parties)
    var derived: [UInt8] = []
    defer { derived.wipe() }
    derived.reserveCapacity(count + SHA256.byteCount)
    var round: UInt32 = 1
    while derived.count < count {
      var hash = SHA256()
      hash.update(data: round.bigEndianOctets)
      unsafe secret.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
      hash.update(data: information)
      derived += hash.finalize()
      round += 1
    }
    return SymmetricKey(data: derived.prefix(count))
  }

  /// OtherInfo: each field with its length in 32 bits before it, then the key size in bits.
  static func otherInformation(_ algorithm: String, count: Int, _ parties: Parties) -> [UInt8] {
    var information: [UInt8] = []
    for field in [Array(algorithm.utf8), parties.producer, parties.recipient] {
      information += UInt32(field.count).bigEndianOctets + field
    }
    return information + UInt32(count * 8).bigEndianOctets
  }
}
