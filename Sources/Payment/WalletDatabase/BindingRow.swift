internal import ContactlessPayment
internal import DeviceAuthentication
internal import Foundation
internal import GRDB
internal import Octets

/// The only row of `binding`.
enum BindingRow {
  /// Reads the binding; nil when the store has none.
  ///
  /// - Throws: `WalletStoreError.cardsWithoutBinding` for the tables of an older version; `.corrupt` for a policy or a
  ///   key that no version of this engine writes.
  static func read(_ database: StoreConnection) throws(WalletStoreError) -> WalletBinding? {
    guard try WalletSchema.version(of: database) >= WalletSchema.oldestUpgraded else {
      throw .cardsWithoutBinding
    }
    guard let row = try database.rows(sql: "SELECT * FROM binding").first else { return nil }
    let (identifier, digest): (Data, Data) = (row["keyIdentifier"], row["enrolmentDigest"])
    guard let policy = CardholderVerificationPolicy(rawValue: row["policy"]),
      let key = KeyIdentifier([UInt8](identifier)), let counting = WalletBinding.Counting(row)
    else { throw .corrupt("its binding has an unknown policy, key or count") }
    let count: Int64 = row["count"]
    return WalletBinding(
      policy: policy, key: ProtectedKeyRecord(identifier: key, enrolmentDigest: [UInt8](digest)),
      count: UInt64(bitPattern: count), counting: counting)
  }

  static func insert(_ binding: WalletBinding, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: """
        INSERT INTO binding (place, policy, keyIdentifier, enrolmentDigest, count, counting, deviceCount)
        VALUES (1, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        binding.policy.rawValue, Data(binding.key.identifier.octets), Data(binding.key.enrolmentDigest),
        Int64(bitPattern: binding.count), binding.counting.name, binding.counting.deviceCount,
      ])
  }

  static func set(_ counting: WalletBinding.Counting, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: "UPDATE binding SET counting = ?, deviceCount = ?", arguments: [counting.name, counting.deviceCount])
  }

  /// The latest date that the store has seen.
  static func latestDate(_ database: StoreConnection) throws(WalletStoreError) -> WallTime {
    guard try WalletSchema.version(of: database) > 7 else { return WallTime(seconds: 0) }
    return WallTime(seconds: try database.value(sql: "SELECT latestDate FROM binding") ?? 0)
  }

  static func set(latestDate: WallTime, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(sql: "UPDATE binding SET latestDate = ?", arguments: [latestDate.seconds])
  }

  /// Notes that a right was taken away, which no count shows yet.
  static func markUncounted(_ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: "UPDATE binding SET counting = ? WHERE counting = ?",
      arguments: [WalletBinding.Counting.uncounted.name, WalletBinding.Counting.inStep.name])
  }

  /// Raises the count by 1 and ends the mark of `markUncounted`, when the store has it.
  static func countWithdrawals(_ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: "UPDATE binding SET count = count + 1, counting = ? WHERE counting = ?",
      arguments: [WalletBinding.Counting.inStep.name, WalletBinding.Counting.uncounted.name])
  }

  /// Raises the count by 1.
  static func advance(_ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(sql: "UPDATE binding SET count = count + 1")
  }
}

extension WalletBinding.Counting {
  /// Reads a row of `binding`, which has no such columns in version 4.
  fileprivate init?(_ row: Row) {
    guard row.hasColumn("counting") else {
      self = .ofOlderVersion
      return
    }
    let (name, deviceCount): (String, Int64?) = (row["counting"], row["deviceCount"])
    switch (name, deviceCount) {
    case ("inStep", nil): self = .inStep
    case ("uncounted", nil): self = .uncounted
    case ("ofOlderVersion", nil): self = .ofOlderVersion
    case ("movedByAnotherCopy", let count?): self = .movedByAnotherCopy(deviceCount: UInt64(bitPattern: count))
    default: return nil
    }
  }

  fileprivate var name: String {
    switch self {
    case .inStep: "inStep"
    case .uncounted: "uncounted"
    case .ofOlderVersion: "ofOlderVersion"
    case .movedByAnotherCopy: "movedByAnotherCopy"
    }
  }

  fileprivate var deviceCount: Int64? {
    if case .movedByAnotherCopy(let count) = self { Int64(bitPattern: count) } else { nil }
  }
}
