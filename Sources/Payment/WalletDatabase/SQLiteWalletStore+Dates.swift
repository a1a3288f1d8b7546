public import ContactlessPayment
public import Octets

// The date by which keys expire. It does not go back with the clock.
extension SQLiteWalletStore {
  /// The date of the clock, or the latest one that the store has seen when that is later.
  func date(_ database: StoreConnection) throws(WalletStoreError) -> WallTime {
    max(clock.now, try BindingRow.latestDate(database))
  }

  /// Notes the date when keys have expired since the one that was noted last: they stay expired when the clock is set back.
  /// Keys that expire are a right that an older copy of the store must not give back. Does nothing in a store that cannot be
  /// written.
  func noteMoment() throws(WalletStoreError) {
    let now = clock.now
    let isDue = try file.read { database in
      // The tables of an older version are upgraded first.
      guard try !WalletSchema.isFormer(database) else { return false }
      return try KeyRow.expires(after: try BindingRow.latestDate(database), until: now, database)
    }
    guard isDue, !isReadOnly else { return }
    try change { database, _ in
      try BindingRow.set(latestDate: max(now, try BindingRow.latestDate(database)), database)
      try BindingRow.markUncounted(database)
    }
  }

  /// Replaces a date that is later than that of an issuer.
  public func correctDate(to date: WallTime) throws(WalletStoreError) {
    guard try file.read({ try BindingRow.latestDate($0) }) > date else { return }
    try change { database, _ in try BindingRow.set(latestDate: date, database) }
  }
}
