internal import ServerShell
internal import ServerStore

extension AccessService {
  /// Runs the rules of a request that sends a challenge, unless too many challenges wait for responses of its address, or too
  /// many operations were begun from it.
  ///
  /// The check has a transaction of its own, so that requests of one address do not wait for each other. Those that are
  /// served at the same time may exceed the limit by their number.
  ///
  /// - Throws: A refusal with code `tooManyFailures`, and what the rules throw.
  func challenge<Value: Sendable>(
    _ call: Call, _ rule: @escaping @Sendable (OperationRules) throws -> Value
  ) async throws(AccessError) -> Value {
    let address = NetworkAddress.counted(call.request.address)
    let limits = configuration.failureLimits
    try await checkCount(of: .challenges(address: address), limit: limits.challengesPerAddress)
    try await checkCount(of: .operations(address: address), limit: limits.operationsPerAddress)
    return try await decide(call, by: OperationRules.self, rule)
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
