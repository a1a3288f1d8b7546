internal import ContactlessPayment
internal import DeviceAuthentication
internal import Foundation
internal import GRDB

/// The only row of `binding`.
enum BindingRow {
  /// Reads the binding; nil when the store has none.
  ///
  /// - Throws: `WalletStoreError.cardsWithoutBinding` for the tables of an older version; `.corrupt` for a policy or a
  ///   key that no version of this engine writes.
  static func read(_ database: Database) throws -> WalletBinding? {
    guard try WalletSchema.isCurrent(database) else { throw WalletStoreError.cardsWithoutBinding }
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT policy, keyIdentifier, enrolmentDigest, count FROM binding")
    else { return nil }
    let (identifier, digest): (Data, Data) = (row["keyIdentifier"], row["enrolmentDigest"])
    guard let policy = CardholderVerificationPolicy(rawValue: row["policy"]),
      let key = KeyIdentifier([UInt8](identifier))
    else { throw WalletStoreError.corrupt("its binding has an unknown policy or key") }
    let count: Int64 = row["count"]
    return WalletBinding(
      policy: policy, key: ProtectedKeyRecord(identifier: key, enrolmentDigest: [UInt8](digest)),
      count: UInt64(bitPattern: count))
  }

  static func insert(_ binding: WalletBinding, _ database: Database) throws {
    try database.execute(
      sql: "INSERT INTO binding (place, policy, keyIdentifier, enrolmentDigest, count) VALUES (1, ?, ?, ?, ?)",
      arguments: [
        binding.policy.rawValue, Data(binding.key.identifier.octets), Data(binding.key.enrolmentDigest),
        Int64(bitPattern: binding.count),
      ])
  }

  /// Raises the count by 1.
  static func advance(_ database: Database) throws {
    try database.execute(sql: "UPDATE binding SET count = count + 1")
  }
}
