internal import AccessMessages

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
    let (moment, address) = (now, NetworkAddress.counted(call.request.address))
    let limits = configuration.failureLimits
    let expiry = try await store.read { store throws(AccessStoreError) -> Int64? in
      let open = try store.expiry(ofCount: limits.challengesPerAddress, .challenges(address: address), at: moment)
      if let open { return open }
      return try store.expiry(ofCount: limits.operationsPerAddress, .operations(address: address), at: moment)
    }
    if let expiry { throw AccessFailure.tooManyRequests(wait: expiry - moment) }
    return try await decide(call, rule)
  }
}
