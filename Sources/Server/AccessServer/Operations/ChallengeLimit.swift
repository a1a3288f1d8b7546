internal import ServerStore
internal import Synchronization

extension AccessService {
  /// Runs the rules of a request that sends a challenge, unless too many challenges wait for responses of its address, or too
  /// many operations were begun from it.
  ///
  /// The check has a transaction of its own, so that requests of one address do not wait for each other. Those that are
  /// served at the same time may exceed the limit by their number.
  ///
  /// - Throws: A refusal with code `tooManyFailures`, and what the rules throw.
  func challenge<Value: Sendable>(
    _ call: Call, _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws(AccessError) -> Value {
    let address = NetworkAddress.counted(call.request.address)
    let limits = configuration.failureLimits
    try await checkCount(of: .challenges(address: address), limit: limits.challengesPerAddress)
    try await checkCount(of: .operations(address: address), limit: limits.operationsPerAddress)
    return try await decide(call, rule)
  }

  /// Checks that an address has fewer records than a limit, in a transaction that only reads.
  private func checkCount(of records: CountedRecords, limit: Int) async throws(AccessError) {
    let (allowances, moment) = (environment.allowances, now)
    guard !allowances.use(records) else { return }
    let expiry = try await store.read { store throws(AccessError) in
      try allowances.renew(records, limit: limit, in: store, at: moment)
    }
    if let expiry { throw .tooManyRequests(wait: expiry - moment) }
  }
}

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
  /// - Returns: When there is room for one, if there are as many as the limit.
  func renew(
    _ records: CountedRecords, limit: Int, in store: AccessTransaction, at moment: Int64
  ) throws(AccessError) -> Int64? {
    let count = try store.count(of: records, atMost: limit, at: moment)
    guard count < limit else { return try store.expiry(ofCount: limit, records, at: moment) }
    left.withLock { left in
      if left.count >= Self.maximumCount { left.removeAll() }
      left[records] = max(Self.allowance(after: count, limit: limit), 0)
    }
    return nil
  }
}
