internal import AccessMessages
internal import Synchronization

extension AccessService {
  /// Runs the rules of a request that sends a challenge, unless too many challenges wait for responses of its address, or too
  /// many operations were begun from it.
  ///
  /// The check has a transaction of its own, so that requests of one address do not wait for each other. Those that are
  /// served at the same time may exceed the limit by their number.
  ///
  /// - Throws: `AccessFailure` with code `tooManyFailures`, and what the rules throw.
  func challenge<Value: Sendable>(
    _ call: Call, _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws -> Value {
    let address = NetworkAddress.counted(call.request.address)
    let limits = configuration.failureLimits
    try await checkCount(of: .challenges(address: address), limit: limits.challengesPerAddress)
    try await checkCount(of: .operations(address: address), limit: limits.operationsPerAddress)
    return try await decide(call, rule)
  }

  /// Checks that an address has fewer records than a limit. Counting takes time that grows with the records, so it is repeated
  /// only when half of what was left at the last count has been used.
  private func checkCount(of records: CountedRecords, limit: Int) async throws {
    guard !allowances.use(records) else { return }
    let moment = now
    let (count, expiry) = try await store.read { store throws(AccessStoreError) in
      let count = try store.count(of: records, atMost: limit, at: moment)
      return (count, count < limit ? nil : try store.expiry(ofCount: limit, records, at: moment))
    }
    if let expiry { throw AccessFailure.tooManyRequests(wait: expiry - moment) }
    allowances.set(records, to: CountAllowances.allowance(after: count, limit: limit))
  }
}

/// How many more records an address may have before they are counted again. On several servers an address may exceed its limit
/// by 64 records, or a 64th of the limit if that is more, on each further server.
final class CountAllowances: Sendable {
  /// The records that an address may have after a count: half of what is left, and few, since other servers on the same database
  /// have allowances of their own. A part of the limit, so that a count of many records is rare.
  ///
  /// - Parameters:
  ///   - count: The records that were counted, less than the limit.
  ///   - limit: The most records.
  static func allowance(after count: Int, limit: Int) -> Int { min((limit - count + 1) / 2 - 1, max(64, limit / 64)) }

  /// The most addresses. With more, all are forgotten, which only costs a count each.
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

  /// Sets an allowance after a count.
  func set(_ records: CountedRecords, to count: Int) {
    left.withLock { left in
      if left.count >= Self.maximumCount { left.removeAll() }
      left[records] = max(count, 0)
    }
  }
}
