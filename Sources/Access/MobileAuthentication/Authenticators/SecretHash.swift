internal import Crypto
internal import CryptoExtras
internal import Octets

/// The salted hash of a PIN or password: scrypt (RFC 7914) with a random salt.
///
/// Its bytes, which are stored encrypted only: 1 byte version (1), 1 byte base-2 logarithm of the cost N, 16 bytes
/// salt, 32 bytes hash. The block size is 8 and the parallelism 1.
final class SecretHash: Sendable {
  /// The base-2 logarithm of the cost of new hashes: 16 MiB of memory.
  static let standardCost: UInt8 = 14
  private static let version: UInt8 = 1
  private static let costs: ClosedRange<UInt8> = 4...20
  private static let (saltCount, hashCount) = (16, 32)

  let octets: Secret

  /// Reads a hash. Nil for bytes of another form.
  init?(_ octets: consuming Secret) {
    let isValid = octets.withExposedOctets { octets in
      octets.count == 2 + Self.saltCount + Self.hashCount && octets[0] == Self.version && Self.costs.contains(octets[1])
    }
    guard isValid else { return nil }
    self.octets = octets
  }

  /// Hashes an entry. Blocks for about 50 ms at the standard cost.
  init(of entry: EnteredSecret, random: any RandomSource, cost: UInt8 = SecretHash.standardCost) {
    precondition(Self.costs.contains(cost), "the cost of a hash is 4...20, not \(cost)")
    let salt = random.octets(Self.saltCount)
    var all = [Self.version, cost] + salt + Self.hash(entry, salt: salt, cost: cost)
    octets = Secret(wiping: &all)
  }

  /// Whether an entry has this hash. Takes the same time for every entry of the same length.
  func matches(_ entry: EnteredSecret) -> Bool {
    octets.withExposedOctets { stored in
      let salt = (2..<2 + Self.saltCount).map { stored[$0] }
      var found = Self.hash(entry, salt: salt, cost: stored[1])
      defer { found.wipe() }
      return constantTimeEqual(found.span, stored.extracting((2 + Self.saltCount)...))
    }
  }

  private static func hash(_ entry: EnteredSecret, salt: [UInt8], cost: UInt8) -> [UInt8] {
    entry.withExposedOctets { octets in
      var copy = octets.indices.map { octets[$0] }
      defer { copy.wipe() }
      // Fails only for parameters that are out of range; these are checked.
      guard
        let key = try? KDF.Scrypt.deriveKey(
          from: copy, salt: salt, outputByteCount: hashCount, rounds: 1 << Int(cost), blockSize: 8, parallelism: 1)
      else { preconditionFailure("scrypt refuses the cost 2^\(cost)") }
      return unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
    }
  }
}

extension SecretKind {
  var sealingPurpose: SealingPurpose { self == .pin ? .pinHash : .passwordHash }
}
