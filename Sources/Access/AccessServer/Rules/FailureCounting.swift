internal import AccessMessages

/// What failures are counted for.
enum FailureSubject {
  case account(String)
  case address(String)
  case password(userName: String)
  case answers(userName: String)
  case recovery(userName: String)
  case recoveries(address: String)
  case enrolment(address: String)
  case operatorLogin(address: String)

  /// The text in the store.
  var text: String {
    switch self {
    case .account(let name): "account:\(name)"
    case .address(let address): "address:\(address)"
    case .password(let userName): "password:\(userName)"
    case .answers(let userName): "answers:\(userName)"
    case .recovery(let userName): "recovery:\(userName)"
    case .recoveries(let address): "recoveries:\(address)"
    case .enrolment(let address): "enrolment:\(address)"
    case .operatorLogin(let address): "operatorLogin:\(address)"
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
  ///
  /// - Parameter period: The length of the period in milliseconds; nil: that of the configuration.
  func countFailure(of subject: FailureSubject, period: Int64? = nil) throws(AccessStoreError) {
    let expiresAt = now + (period ?? configuration.failureLimits.period)
    var failures = FailureRecord(subject: subject.text, count: 0, expiresAt: expiresAt)
    if let known = try transaction.failures(of: subject.text), known.expiresAt > now { failures = known }
    failures.count += 1
    try transaction.save(failures)
  }
}
