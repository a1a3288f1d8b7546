internal import AccessMessages
internal import Crypto
internal import ServerStore

extension WalletRules {
  /// The most recoveries of one user that are begun in `answerPeriod` from one origin.
  static let recoveryLimit = 10

  /// Begins a recovery. A user name that does not exist also gets a question, from a fixed small set, so that the
  /// response does not reveal that it is unknown.
  func beginRecovery(
    _ entered: String, _ secret: RecoveryRequest.Secret, _ request: SignedRequest
  ) throws(AccessError) -> QuestionPrompt {
    let device = try signingDevice(request)
    if secret == .pin { _ = try device.requireActive() }
    let found = try wallet(entered: entered)
    let userName = found?.userName ?? EnteredForm.userName(entered)
    let origin = origin(device, wallet: found?.id)
    if case .elsewhere(let address, _) = origin {
      let subject = FailureSubject.recoveries(address: address)
      try checkFailures(of: subject, limit: configuration.failureLimits.perAddress)
      try countFailure(of: subject)
    }
    try checkGuesses(.recovery, userName: userName, origin, limit: Self.recoveryLimit)
    try checkGuesses(.answers, userName: userName, origin, limit: Self.answerLimit)
    try countGuess(.recovery, userName: userName, origin, period: Self.answerPeriod)
    let purpose: WalletTokenRecord.Purpose = secret == .pin ? .recoverPin : .recoverPassword
    // The entry is added in both cases, so that the time of the response does not differ.
    try audit(.recovery, "begun, \(secret.rawValue)", account: found?.userName, device: device.deviceID)
    if let wallet = found, secret == .password || device.linked?.wallet == wallet.id {
      return try question(purpose, wallet, for: device)
    }
    return try question(purpose, nil, userName: userName, among: pretendedQuestions(of: userName), for: device)
  }

  /// The questions that a user name that does not exist seems to have answered: the mandatory ones, and others in an order
  /// that depends on the user name and a key of the server.
  private func pretendedQuestions(of userName: String) -> [String] {
    let requirements = configuration.wallets.requirements
    let key = SymmetricKey(data: environment.walletKey)
    func place(_ question: SecurityQuestion) -> [UInt8] {
      [UInt8](HMAC<SHA256>.authenticationCode(for: Array("\(question.id)\u{0}\(userName)".utf8), using: key))
    }
    let mandatory = requirements.questions.filter(\.isMandatory)
    let others = requirements.questions.filter { !$0.isMandatory }.map { (place($0), $0) }
      .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    return (mandatory + others).prefix(requirements.requiredAnswers).map(\.id)
  }

  /// Uses up the token of the question of a recovery.
  func beginRecoveryAnswer(_ token: String, _ request: SignedRequest) throws(AccessError) -> AnswerAttempt {
    try beginAnswer(token, for: [.recoverPin, .recoverPassword], of: try signingDevice(request))
  }

  /// Makes the token for a new secret.
  func finishRecoveryAnswer(_ attempt: AnswerAttempt, isRight: Bool) throws(AccessError) -> ResetToken {
    let wallet = try finishAnswer(attempt, isRight: isRight)
    let purpose: WalletTokenRecord.Purpose = attempt.token.purpose == .recoverPin ? .resetPin : .resetPassword
    let token = try newWalletToken(
      purpose, wallet, userName: wallet.userName, for: try current(attempt.device),
      lifetime: configuration.wallets.lifetimes.resetToken)
    return ResetToken(resetToken: token)
  }

  /// Finds a reset token. The device of one for a PIN must be linked and active.
  private func resetToken(_ text: String, of device: SigningDevice) throws(AccessError) -> WalletTokenRecord {
    let token = try walletToken(text, of: device, for: [.resetPin, .resetPassword])
    if token.purpose == .resetPin { _ = try device.requireActive() }
    return token
  }

  /// Finds what a reset token is for, and checks the new secret. The token can be used again when the secret is refused.
  ///
  /// - Throws: A refusal with code `wrongCredentials` or `requirementsNotMet`.
  func beginReset(
    _ token: String, _ newSecret: String, _ request: SignedRequest
  ) throws(AccessError) -> (device: SigningDevice, purpose: WalletTokenRecord.Purpose) {
    let device = try signingDevice(request)
    let purpose = try resetToken(token, of: device).purpose
    let requirements = configuration.wallets.requirements
    let shortcoming =
      purpose == .resetPin
      ? requirements.pin.shortcoming(of: newSecret) : requirements.password.shortcoming(of: newSecret)
    if let shortcoming { throw .refused(.requirementsNotMet, shortcoming) }
    return (device, purpose)
  }

  /// Replaces a secret. All sessions, single-use tokens and biometric tokens of the wallet end.
  func finishReset(_ text: String, hash: String, _ earlier: SigningDevice) throws(AccessError) {
    let device = try current(earlier)
    let token = try resetToken(text, of: device)
    guard let id = token.wallet else { throw .wrongCredentials }
    var wallet = try wallet(id)
    if token.purpose == .resetPin { wallet.pinHash = hash } else { wallet.passwordHash = hash }
    try transaction.save(wallet)
    try perform(Withdrawal(subject: .secret, caller: nil), of: wallet)
    if token.purpose == .resetPin {
      for var linked in try transaction.walletDevices(of: wallet.id) {
        linked.pinFailures = 0
        try transaction.save(linked)
      }
    }
    let subject = FailureSubject.guess(
      .password, userName: wallet.userName, origin(device, wallet: wallet.id))
    try transaction.remove(FailureRecord.self, subject.text)
    try audit(.recovery, "succeeded, \(token.purpose.rawValue)", account: wallet.userName, device: device.deviceID)
  }
}

extension AccessService {
  /// Answers the question of a recovery.
  func recover(token: String, answer: String, _ request: SignedRequest) async throws(AccessError) -> ResetToken {
    let attempt = try await decide(request) { try $0.beginRecoveryAnswer(token, request) }
    let isRight = try await hashing.matches(
      EnteredForm.answer(answer), attempt.hash, as: .short, for: request.address)
    return try await decide(request) { try $0.finishRecoveryAnswer(attempt, isRight: isRight) }
  }

  /// Replaces a secret.
  func reset(_ token: String, newSecret: String, _ request: SignedRequest) async throws(AccessError) {
    let (device, purpose) = try await decide(request) { try $0.beginReset(token, newSecret, request) }
    let hash = try await hashing.hash(
      newSecret, as: purpose == .resetPin ? .short : .password, for: request.address)
    try await decide(request) { try $0.finishReset(token, hash: hash, device) }
  }
}
