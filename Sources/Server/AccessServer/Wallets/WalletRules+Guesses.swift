internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// The most wrong guesses at one secret of a user in an hour from all addresses and devices that are new to the user.
  static let newAddressLimit = 100
  /// The period of `newAddressLimit`: one hour, in milliseconds.
  static let newAddressPeriod: Int64 = 3_600_000
  /// How long after a login an address and a device are not new to their user: 30 days, in milliseconds.
  static let knownAddressPeriod: Int64 = 30 * 86_400_000

  /// The origin of a request of a device for a wallet.
  func origin(_ device: SigningDevice, wallet: String?) -> GuessOrigin {
    if let linked = device.linked, linked.wallet == wallet { return .linked(deviceID: linked.deviceID) }
    return .elsewhere(address: network, key: device.keyDigest)
  }

  /// Checks that a secret of a user was not guessed too often.
  ///
  /// - Parameters:
  ///   - limit: The limit for the origin.
  ///   - counted: Failures that were read, perhaps of another origin.
  /// - Throws: A refusal with code `tooManyFailures`.
  func checkGuesses(
    _ kind: GuessKind, userName: String, _ origin: GuessOrigin, limit: Int,
    _ counted: CountedFailures? = nil
  ) throws(AccessError) {
    try checkFailures(of: .guess(kind, userName: userName, origin), limit: limit, counted)
    guard try isNew(origin, to: userName) else { return }
    try checkFailures(of: .guesses(kind, userName: userName), limit: Self.newAddressLimit)
  }

  /// Counts a wrong guess at a secret of a user.
  func countGuess(
    _ kind: GuessKind, userName: String, _ origin: GuessOrigin, period: Int64? = nil
  ) throws(AccessError) {
    try countFailure(of: .guess(kind, userName: userName, origin), period: period)
    guard try isNew(origin, to: userName) else { return }
    try countFailure(of: .guesses(kind, userName: userName), period: Self.newAddressPeriod)
  }

  private func isNew(_ origin: GuessOrigin, to userName: String) throws(AccessError) -> Bool {
    guard case .elsewhere(let address, let key) = origin else { return false }
    for place in [address, key] {
      let login = try transaction.failures(of: FailureSubject.login(account: userName, from: place).text)
      if let login, login.expiresAt > now { return false }
    }
    return true
  }

  /// Records that the user of an account has logged in from the address of the client and on a device.
  func countLogin(of account: String, on device: SigningDevice) throws(AccessError) {
    for place in [network, device.keyDigest] {
      let subject = FailureSubject.login(account: account, from: place)
      try transaction.save(FailureRecord(subject: subject.text, count: 1, expiresAt: now + Self.knownAddressPeriod))
    }
  }
}
