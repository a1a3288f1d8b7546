internal import Crypto
internal import CryptoExtras
internal import JOSE
internal import Octets
internal import ServerStore

/// The salted hash of a password, PIN or answer: scrypt (RFC 7914) with a random salt of its own.
///
/// The text `scrypt-COST-BLOCK-PARALLELISM.SALT.HASH` names its parameters, so that they can be raised later: the base-2
/// logarithm of the cost N, the block size r and the parallelism p, then 16 bytes salt and 32 bytes hash in base64url.
struct SaltedHash: Hashable, Sendable {
  /// The parameters of scrypt.
  struct Parameters: Hashable, Sendable {
    /// The base-2 logarithm of the cost N, 4 to 20. With block size 8, 14 takes 16 MiB of memory.
    var cost: Int
    /// The parallelism p, 1 to 16. It multiplies the time.
    var parallelism: Int

    static let blockSize = 8
    static let (costs, parallelisms) = (4...20, 1...16)

    /// For passwords: one of the settings that the OWASP Password Storage Cheat Sheet recommends.
    static let password = Parameters(cost: 14, parallelism: 5)
    /// For PINs and answers. They are so short that a higher cost does not protect them; the limits of attempts do.
    static let short = Parameters(cost: 14, parallelism: 1)

    var name: String { "scrypt-\(cost)-\(Self.blockSize)-\(parallelism)" }
  }

  /// The parameters.
  let parameters: Parameters
  private let salt, hash: [UInt8]

  private static let (saltCount, hashCount) = (16, 32)

  /// Hashes a secret. Blocks for about 50 ms, times the parallelism.
  init(of secret: String, _ parameters: Parameters, random: any RandomSource) {
    precondition(
      Parameters.costs.contains(parameters.cost) && Parameters.parallelisms.contains(parameters.parallelism),
      "scrypt does not have the parameters \(parameters.name) here")
    self.parameters = parameters
    salt = random.octets(Self.saltCount)
    hash = Self.scrypt(secret, salt, parameters)
  }

  /// Reads a stored hash.
  ///
  /// - Throws: `AccessStoreError` with code `damaged`.
  init(stored text: String) throws(AccessError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let names = parts[0].split(separator: "-")
    guard parts.count == 3, names.count == 4, names[0] == "scrypt", names[2] == "\(Parameters.blockSize)",
      let cost = Int(names[1]), Parameters.costs.contains(cost),
      let parallelism = Int(names[3]), Parameters.parallelisms.contains(parallelism),
      let salt = try? [UInt8](base64URL: parts[1]), salt.count == Self.saltCount,
      let hash = try? [UInt8](base64URL: parts[2]), hash.count == Self.hashCount
    else { throw .damaged("a stored hash of a secret has the wrong form") }
    parameters = Parameters(cost: cost, parallelism: parallelism)
    (self.salt, self.hash) = (salt, hash)
  }

  /// The text for the store.
  var stored: String { "\(parameters.name).\(salt.base64URL).\(hash.base64URL)" }

  /// Whether a secret has this hash. Takes the same time for every secret of the same length.
  func matches(_ secret: String) -> Bool {
    var found = Self.scrypt(secret, salt, parameters)
    defer { found.wipe() }
    return constantTimeEqual(found.span, hash.span)
  }

  private static func scrypt(_ secret: String, _ salt: [UInt8], _ parameters: Parameters) -> [UInt8] {
    var octets = Array(secret.utf8)
    defer { octets.wipe() }
    // Fails only for parameters that are out of range; these are checked.
    guard
      let key = try? KDF.Scrypt.deriveKey(
        from: octets, salt: salt, outputByteCount: hashCount, rounds: 1 << parameters.cost,
        blockSize: Parameters.blockSize, parallelism: parameters.parallelism)
    else { preconditionFailure("scrypt refuses the parameters \(parameters.name)") }
    return unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}
