internal import Crypto
internal import EMVIssuer
internal import JOSE
internal import Octets
internal import ServerStore

/// The keys of the server in one transaction. They lie in the store: every server on one database has the same ones, and a
/// new generation is used from the next transaction on. The file of the database has mode 0600.
struct ServerKeys {
  let transaction: AccessTransaction

  private typealias Purpose = KeyGenerationRecord.Purpose
  private static let masterKeyCount = 16
  /// The setting with the next serial number of cards, 8 bytes.
  static let cardSerialSetting = "cardSerial"

  /// Makes the first generation of the keys that do not exist.
  func prepare(_ random: any RandomSource, at now: Int64) throws(AccessError) {
    for purpose in Purpose.allCases where try transaction.newestKey(purpose) == nil {
      try add(purpose, generation: 1, random, at: now)
    }
  }

  private func add(
    _ purpose: Purpose, generation: Int, _ random: any RandomSource, at now: Int64
  ) throws(AccessError) {
    let value =
      purpose == .authorization
      ? [UInt8](P256.Signing.PrivateKey().rawRepresentation) : random.octets(Self.masterKeyCount)
    try transaction.save(
      KeyGenerationRecord(purpose: purpose, generation: generation, value: value, createdAt: now))
  }

  /// Makes a new generation of keys.
  ///
  /// - Parameters:
  ///   - purposes: What the keys are for. Their generations have one number.
  ///   - moment: Until when what was made with the generations before is accepted at most.
  /// - Returns: The number of the new generation.
  func rotate(
    _ purposes: [KeyGenerationRecord.Purpose], acceptingUntil moment: Int64, _ random: any RandomSource, at now: Int64
  ) throws(AccessError) -> Int {
    try prepare(random, at: now)
    var number = 0
    for purpose in purposes {
      for var former in try transaction.keyGenerations(purpose) {
        number = max(number, former.generation)
        former.acceptedUntil = min(former.acceptedUntil ?? .max, moment)
        try transaction.save(former)
      }
    }
    for purpose in purposes { try add(purpose, generation: number + 1, random, at: now) }
    return number + 1
  }

  /// The key that signs authorizations.
  ///
  /// - Parameter newest: The newest generation of the key in the store.
  static func authorization(_ newest: KeyGenerationRecord?) throws(AccessError) -> SoftwareKey {
    guard let newest else { throw Self.damaged("no key of authorizations") }
    return try Self.softwareKey(newest)
  }

  /// The key that signs authorizations of one generation, whose number is its identifier (`kid`).
  static func softwareKey(_ record: KeyGenerationRecord) throws(AccessError) -> SoftwareKey {
    let key = try? SoftwareKey(scalar: Secret(copying: record.value), keyID: "\(record.generation)")
    guard let key else { throw damaged("a key that is not valid") }
    return key
  }

  /// The newest generation of the issuer's keys.
  func issuer() throws(AccessError) -> IssuerGeneration {
    guard let newest = try transaction.newestKey(.issuerCryptogram) else { throw Self.damaged("no key of the issuer") }
    return try issuer(generation: newest.generation)
  }

  /// A generation of the issuer's keys.
  func issuer(generation: Int) throws(AccessError) -> IssuerGeneration {
    let keys = try transaction.keys(ofGeneration: generation)
    func key(_ purpose: KeyGenerationRecord.Purpose) throws(AccessError) -> KeyGenerationRecord {
      guard let key = keys.first(where: { $0.purpose == purpose }), key.value.count == Self.masterKeyCount else {
        throw Self.damaged("no master key of the issuer with \(Self.masterKeyCount) bytes in generation \(generation)")
      }
      return key
    }
    let cryptogram = try key(.issuerCryptogram)
    return IssuerGeneration(
      number: generation, acceptedUntil: cryptogram.acceptedUntil,
      issuer: Issuer(
        keys: IssuerKeys(
          cryptogram: Secret(copying: cryptogram.value), cvc3: Secret(copying: try key(.issuerCode).value),
          script: Secret(copying: try key(.issuerScript).value))))
  }

  private static func damaged(_ found: String) -> AccessError {
    .damaged("the database has \(found)")
  }
}

/// The issuer with the master keys of one generation.
struct IssuerGeneration {
  let number: Int
  /// Until when payments with its keys are accepted; nil for the newest generation.
  let acceptedUntil: Int64?
  let issuer: Issuer

  /// Whether payments with its keys are accepted at a moment.
  func isAccepted(at now: Int64) -> Bool { acceptedUntil.map { $0 > now } ?? true }
}
