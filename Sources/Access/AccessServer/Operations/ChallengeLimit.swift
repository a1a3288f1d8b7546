internal import AccessMessages

extension AccessService {
  /// Runs the rules of a request that sends a challenge, unless too many challenges wait for responses of its address.
  ///
  /// The check has a transaction of its own, so that requests of one address do not wait for each other. Those that are
  /// served at the same time may exceed the limit by their number.
  ///
  /// - Throws: `AccessFailure` with code `tooManyFailures`, and what the rules throw.
  func challenge<Value: Sendable>(
    _ call: Call, _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws -> Value {
    let (moment, address) = (now, NetworkAddress.counted(call.request.address))
    let limit = configuration.failureLimits.challengesPerAddress
    let expiry = try await store.read { store throws(AccessStoreError) in
      try store.expiry(ofOpenChallenges: limit, sentTo: address, at: moment)
    }
    if let expiry { throw AccessFailure.tooManyChallenges(wait: expiry - moment) }
    return try await decide(call, rule)
  }
}

extension AccessFailure {
  /// Too many challenges wait for responses of the client's address.
  ///
  /// - Parameter milliseconds: After how long there is room for one.
  fileprivate static func tooManyChallenges(wait milliseconds: Int64) -> AccessFailure {
    AccessFailure(
      .tooManyFailures, "too many requests of this address wait for a response: wait \(milliseconds / 1_000 + 1) s",
      retryAfter: Int(milliseconds / 1_000 + 1))
  }
}
