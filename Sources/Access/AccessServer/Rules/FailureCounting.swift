internal import AccessMessages

/// What failures are counted for.
enum FailureSubject {
  case account(String)
  case address(String)

  /// The text in the store.
  var text: String {
    switch self {
    case .account(let name): "account:\(name)"
    case .address(let address): "address:\(address)"
    }
  }
}

extension Rules {
  /// Checks that a subject has not failed too often in the current period.
  ///
  /// - Throws: `AccessFailure` with code `tooManyFailures`.
  func checkFailures(of subject: FailureSubject, limit: Int) throws {
    guard let failures = try transaction.failures(of: subject.text), failures.expiresAt > now else { return }
    guard failures.count < limit else {
      throw AccessFailure(.tooManyFailures, "too many failures: wait \((failures.expiresAt - now) / 1_000 + 1) s")
    }
  }

  /// Counts a failure. The first one of a subject begins a period.
  func countFailure(of subject: FailureSubject) throws(AccessStoreError) {
    var failures = FailureRecord(subject: subject.text, count: 0, expiresAt: now + configuration.failureLimits.period)
    if let known = try transaction.failures(of: subject.text), known.expiresAt > now { failures = known }
    failures.count += 1
    try transaction.save(failures)
  }
}
