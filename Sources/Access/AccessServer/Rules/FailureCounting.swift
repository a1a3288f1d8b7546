internal import AccessMessages

/// What failures are counted for.
enum FailureSubject {
  case account(String, address: String)
  case address(String)
  case password(userName: String, GuessOrigin)
  case answers(userName: String, GuessOrigin)
  case recovery(userName: String, GuessOrigin)
  case recoveries(address: String)
  case enrolment(address: String)
  case operatorLogin(address: String)

  /// The text in the store.
  var text: String {
    switch self {
    // An address has no space.
    case .account(let name, let address): "account:\(address) \(name)"
    case .address(let address): "address:\(address)"
    case .password(let userName, let origin): "password\(origin.subject(userName))"
    case .answers(let userName, let origin): "answers\(origin.subject(userName))"
    case .recovery(let userName, let origin): "recovery\(origin.subject(userName))"
    case .recoveries(let address): "recoveries:\(address)"
    case .enrolment(let address): "enrolment:\(address)"
    case .operatorLogin(let address): "operatorLogin:\(address)"
    }
  }
}

/// Where guesses at the secrets of a user come from. Each linked device has a count of its own, so that guesses on other
/// devices do not block the user. All other devices share one count: anyone can make a device with a new identifier.
enum GuessOrigin {
  /// A device that is linked with the wallet of the user.
  case linked(deviceID: String)
  /// Any other device.
  case elsewhere

  init(_ device: SigningDevice, wallet: String?) {
    self = .elsewhere
    if let linked = device.linked, linked.wallet == wallet { self = .linked(deviceID: linked.deviceID) }
  }

  /// The end of a subject's text. A linked device has one user.
  fileprivate func subject(_ userName: String) -> String {
    switch self {
    case .linked(let deviceID): "OfDevice:\(deviceID)"
    case .elsewhere: ":\(userName)"
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
