internal import Octets
internal import ServerStore

/// A database that is a copy of an earlier state. What clients used after the copy was made must not work again: its first start
/// ends tokens, sessions and challenges, refuses signatures from before it, and gives the issuer and the authorizations new keys.
struct RestoredCopy {
  let transaction: AccessTransaction

  /// The setting with the moment of the first start of the last restored copy.
  private static let restoredSetting = "restoredAt"

  /// How many account numbers are left out after a restore, for the cards that were added after the copy was made.
  private static let serialStep: Int64 = 100_000

  /// When the database was restored last, in milliseconds since 1970; nil when it never was.
  func restoredAt() throws(AccessError) -> Int64? {
    try transaction.setting(Self.restoredSetting).map { Self.moment($0) }
  }

  /// Ends what the copy must not bring back, if it is marked.
  ///
  /// - Returns: When the copy was made; nil when it is not marked.
  func end(_ random: any RandomSource, at now: Int64) throws(AccessError) -> WallTime? {
    guard let mark = try transaction.setting(AccessTransaction.copyMark) else { return nil }
    try transaction.removeTokensAndSessions()
    try transaction.removeBiometricTokens()
    let keys = ServerKeys(transaction: transaction)
    for purposes in [KeyGenerationRecord.Purpose.issuer, [.authorization]] {
      _ = try keys.rotate(purposes, acceptingUntil: now, random, at: now)
    }
    // Cards that were added after the copy was made have the next account numbers.
    let serial = Self.moment(try transaction.setting(ServerKeys.cardSerialSetting) ?? [])
    try transaction.set(ServerKeys.cardSerialSetting, to: Self.octets(serial + Self.serialStep))
    try transaction.set(Self.restoredSetting, to: Self.octets(now))
    try transaction.remove(SettingRecord.self, AccessTransaction.copyMark)
    try transaction.audit(.restored, "succeeded", at: now)
    // Another program may have written another number. The clock of a server is before 2050.
    return WallTime(seconds: min(max(0, Self.moment(mark) / 1_000), now / 1_000))
  }

  private static func octets(_ moment: Int64) -> [UInt8] { UInt64(bitPattern: moment).bigEndianOctets }

  private static func moment(_ octets: [UInt8]) -> Int64 {
    Int64(bitPattern: octets.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
