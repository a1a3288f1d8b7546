internal import ServerStore
internal import Synchronization

/// How many more records an address or a device may have before they are counted again: counting takes time that grows with the
/// records, and a count in a transaction that writes conflicts with others. On several servers a client may exceed its limit by
/// 64 records, or a 64th of the limit if that is more, on each further server.
final class CountAllowances: Sendable {
  /// The records that a client may have after a count: half of what is left, and few, since other servers on the same database
  /// have allowances of their own. A part of the limit, so that a count of many records is rare.
  ///
  /// - Parameters:
  ///   - count: The records that were counted, less than the limit.
  ///   - limit: The most records.
  static func allowance(after count: Int, limit: Int) -> Int { min((limit - count + 1) / 2 - 1, max(64, limit / 64)) }

  /// The most addresses and devices. With more, all are forgotten, which only costs a count each.
  private static let maximumCount = 10_000

  private let left = Mutex<[CountedRecords: Int]>([:])

  /// Uses one record of an allowance. Returns false when none is left, so that the records must be counted.
  func use(_ records: CountedRecords) -> Bool {
    left.withLock { left in
      guard let count = left[records], count > 0 else { return false }
      left[records] = count - 1
      return true
    }
  }

  /// Whether records must be counted, since nothing is left of their allowance.
  func isUsed(_ records: CountedRecords) -> Bool { left.withLock { ($0[records] ?? 0) <= 0 } }

  /// Counts records, and sets their allowance.
  ///
  /// - Parameter counted: How many there are; nil when they were not counted.
  /// - Returns: When there is room for one, if there are as many as the limit.
  func renew(
    _ records: CountedRecords, limit: Int, _ counted: Int? = nil, in store: AccessTransaction, at moment: Int64
  ) throws(AccessError) -> Int64? {
    var counted = counted
    if counted == nil { counted = try store.count(of: records, atMost: limit, at: moment) }
    let count = counted ?? 0
    guard count < limit else { return try store.expiry(ofCount: limit, records, at: moment) }
    left.withLock { left in
      if left.count >= Self.maximumCount { left.removeAll() }
      left[records] = max(Self.allowance(after: count, limit: limit), 0)
    }
    return nil
  }
}
