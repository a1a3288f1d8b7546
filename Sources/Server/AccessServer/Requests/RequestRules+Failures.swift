internal import AccessMessages
internal import ServerShell
internal import ServerStore

/// What failures and requests are counted for.
enum FailureSubject {
  /// Wrong guesses at one secret of a user from one origin.
  case guess(GuessKind, userName: String, GuessOrigin)
  /// Wrong guesses at one secret of a user from all addresses that are new to the user.
  case guesses(GuessKind, userName: String)
  /// Logins of an account from an address, or with the key of a device: not failures.
  case login(account: String, from: String)
  case recoveries(address: String)
  case enrolment(address: String)
  /// Registrations of new names without an authorization: not failures.
  case registrations(address: String)
  case operatorLogin(address: String)
  /// Wrong CVC3 of a card. The count ends with a right cryptogram too, or by the operator.
  case codes(card: String)
  /// Wrong cryptograms and codes of a card that the list of payments has.
  case shownPayments(card: String)
  /// Payments of a card that were not approved and that the operator sees.
  case cardAttempts(card: String)
  /// Payments with unknown account numbers that the operator sees.
  case unknownCards(address: String)
  /// Refusals of one kind for an address, which the audit trail does not have one by one.
  case refusals(AuditEvent, address: String)

  /// The text in the store. An address has no space.
  var text: String {
    switch self {
    case .guess(let kind, let userName, let origin):
      switch origin {
      // A device may be linked with the wallet of another user later. The name of a user with a wallet has no space.
      case .linked(let deviceID): "\(kind.rawValue)OfDevice:\(deviceID) \(userName)"
      case .elsewhere(let address, _): "\(kind.rawValue):\(address) \(userName)"
      }
    case .guesses(let kind, let userName): "\(kind.rawValue)Total:\(userName)"
    case .login(let account, let place): "login:\(place) \(account)"
    case .recoveries(let address): "recoveries:\(address)"
    case .enrolment(let address): "enrolment:\(address)"
    case .registrations(let address): "registrations:\(address)"
    case .operatorLogin(let address): "operatorLogin:\(address)"
    case .codes(let card): "codes:\(card)"
    case .shownPayments(let card): "shownPayments:\(card)"
    case .cardAttempts(let card): "cardAttempts:\(card)"
    case .unknownCards(let address): "unknownCards:\(address)"
    case .refusals(let event, let address): "refusals:\(address) \(event.rawValue)"
    }
  }
}

/// The failures of a subject, as they were read.
struct CountedFailures {
  /// The text of the subject.
  let subject: String
  /// Nil when it has none.
  let record: FailureRecord?
}

extension AccessTransaction {
  /// The failures that were counted for a subject.
  func countedFailures(of subject: FailureSubject) throws(AccessError) -> CountedFailures {
    CountedFailures(subject: subject.text, record: try failures(of: subject.text))
  }
}

extension FailureSubject {
  /// The secret that a refusal for this subject locks; nil where requests are counted, and not guesses.
  fileprivate var lockout: String? {
    switch self {
    case .guess(.recovery, _, _), .guesses(.recovery, _): nil
    case .guess(let kind, _, _), .guesses(let kind, _): kind.rawValue
    case .operatorLogin: "operator"
    default: nil
    }
  }
}

/// The secrets of a user that can be guessed. Each has counts of its own.
enum GuessKind: String {
  case password, answers
  /// Recoveries that are begun: not guesses, but each draws a question.
  case recovery
}

/// Where guesses at the secrets of a user come from. Each device that is linked with the wallet of the user has a count of its
/// own, so that guesses elsewhere do not block the user. Other devices are counted by their address: anyone can make a
/// device with a new identifier.
enum GuessOrigin {
  /// A device that is linked with the wallet of the user.
  case linked(deviceID: String)
  /// Any other device, at an address. `key` identifies the key of the device.
  case elsewhere(address: String, key: String)
}

extension RequestRules {
  /// The client's address as it is counted: IPv6 addresses by their network of 64 bits.
  var network: String { NetworkAddress.counted(address) }

  /// Checks that a subject has not failed too often in the current period.
  ///
  /// - Parameter counted: Failures that were read, perhaps of another subject.
  /// - Throws: A refusal with code `tooManyFailures`.
  func checkFailures(
    of subject: FailureSubject, limit: Int, _ counted: CountedFailures? = nil
  ) throws(AccessError) {
    let counted =
      if let counted, counted.subject.hasSameOctets(as: subject.text) { counted } else {
        try transaction.countedFailures(of: subject)
      }
    guard let failures = counted.record, failures.expiresAt > now else { return }
    guard failures.count < limit else {
      let seconds = (failures.expiresAt - now) / 1_000 + 1
      throw .refused(
        .tooManyFailures, "too many failures: wait \(seconds) s", retryAfter: Int(seconds), lockout: subject.lockout)
    }
  }

  /// Counts a failure. The first one of a subject begins a period.
  ///
  /// - Parameter period: The length of the period in milliseconds; nil: that of the configuration.
  /// - Returns: How many failures the subject has in the period.
  @discardableResult
  func countFailure(of subject: FailureSubject, period: Int64? = nil) throws(AccessError) -> Int {
    let expiresAt = now + (period ?? configuration.failureLimits.period)
    var failures = FailureRecord(subject: subject.text, count: 0, expiresAt: expiresAt)
    if let known = try transaction.failures(of: subject.text), known.expiresAt > now { failures = known }
    failures.count += 1
    try transaction.save(failures)
    return failures.count
  }

  /// Counts a refusal that any client can cause as often as it wants. The audit trail gets the first one of an address in a
  /// period, the 10th, the 100th and so on, so that a client cannot displace the other entries.
  func auditCounted(
    _ event: AuditEvent, _ result: String, account: String? = nil, device: String? = nil, sessionID: String? = nil
  ) throws(AccessError) {
    let count = try countFailure(of: .refusals(event, address: network))
    guard Self.isPowerOfTen(count) else { return }
    let text = count == 1 ? result : "\(result), \(count) times"
    try audit(event, text, account: account, device: device, sessionID: sessionID)
  }

  private static func isPowerOfTen(_ count: Int) -> Bool {
    var rest = count
    while rest >= 10, rest.isMultiple(of: 10) { rest /= 10 }
    return rest == 1
  }
}
