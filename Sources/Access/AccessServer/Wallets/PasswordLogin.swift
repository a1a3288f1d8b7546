internal import AccessMessages
internal import Octets

/// A secret that is compared with its hash between two transactions.
struct SecretAttempt: Sendable {
  let device: SigningDevice
  /// The user name, in lower case.
  let userName: String
  /// The wallet; nil for a user name that does not exist.
  let wallet: WalletRecord?
  /// The hash; nil for a user name that does not exist.
  let hash: SaltedHash?
}

/// What follows from a right password.
enum PasswordOutcome: Sendable {
  case session(WalletSession)
  case question(QuestionPrompt)
}

extension Rules {
  /// Finds the hash of a password.
  ///
  /// - Throws: `AccessFailure` with code `tooManyFailures`.
  func beginPasswordLogin(_ entered: String, _ call: Call) throws -> SecretAttempt {
    let device = try signingDevice(call)
    let wallet = try wallet(entered: entered)
    let userName = wallet?.userName ?? EnteredForm.userName(entered)
    try checkGuesses(
      .password, userName: userName, origin(device, wallet: wallet?.id), limit: configuration.failureLimits.perAccount)
    return SecretAttempt(
      device: device, userName: userName, wallet: wallet, hash: try SaltedHash.reading(wallet?.passwordHash))
  }

  /// Decides what follows from a password: a session on a device of the wallet, a question on another one.
  ///
  /// Guesses that are made at the same time are counted here, one after the other.
  func finishPasswordLogin(_ attempt: SecretAttempt, isRight: Bool, _ scope: SessionScope) throws -> PasswordOutcome {
    let origin = origin(attempt.device, wallet: attempt.wallet?.id)
    let limit = configuration.failureLimits.perAccount
    try checkGuesses(.password, userName: attempt.userName, origin, limit: limit)
    guard isRight, let found = attempt.wallet, let wallet = try transaction.wallet(found.id),
      wallet.passwordHash == found.passwordHash
    else {
      try countGuess(.password, userName: attempt.userName, origin)
      try audit(
        .walletLogin, "wrong password", account: attempt.wallet?.userName, device: attempt.device.deviceID)
      throw AccessFailure.wrongCredentials
    }
    try transaction.removeFailures(of: FailureSubject.guess(.password, userName: attempt.userName, origin).text)
    let device = try current(attempt.device)
    if scope == .lostDevice { return .question(try question(.lostDevice, wallet, for: device)) }
    guard let linked = device.linked else { return .question(try question(.login, wallet, for: device)) }
    guard linked.wallet == wallet.id else { throw AccessFailure.deviceLinked }
    _ = try device.requireActive()
    return .session(try beginSession(wallet, on: device, .password))
  }

  /// Draws one of the questions that the user answered at enrolment. A question that the issuer has removed from its pool since
  /// is drawn only when no other is left: its missing text would reveal that the user exists.
  func question(
    _ purpose: WalletTokenRecord.Purpose, _ wallet: WalletRecord, for device: SigningDevice
  ) throws -> QuestionPrompt {
    let (pool, answered) = (configuration.wallets.requirements.questions, wallet.answers.map(\.questionID))
    let known = answered.filter { id in pool.contains { $0.id == id } }
    return try question(
      purpose, wallet, userName: wallet.userName, among: known.isEmpty ? answered : known, for: device)
  }

  /// Draws one of some questions.
  ///
  /// - Parameter wallet: The wallet; nil for a user name that does not exist.
  func question(
    _ purpose: WalletTokenRecord.Purpose, _ wallet: WalletRecord?, userName: String, among questions: [String],
    for device: SigningDevice
  ) throws -> QuestionPrompt {
    guard let drawn = draw(questions) else {
      throw AccessStoreError(.damaged, "a wallet has no answer to a question")
    }
    // The issuer may have removed the question from its pool since the enrolment.
    let text = configuration.wallets.requirements.questions.first { $0.id == drawn }?.text ?? drawn
    let token = try newWalletToken(
      purpose, wallet, userName: userName, for: device, questionID: drawn,
      lifetime: configuration.wallets.lifetimes.question)
    return QuestionPrompt(token: token, questionID: drawn, text: text)
  }

  private func draw(_ questions: [String]) -> String? {
    guard !questions.isEmpty else { return nil }
    // 64 random bits modulo at most 256: the difference between the probabilities is below 2⁻⁵⁵.
    let number = environment.random.octets(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return questions[Int(number % UInt64(questions.count))]
  }
}

extension AccessService {
  /// Logs in with user name and password.
  func logIn(
    userName: String, password: String, _ scope: SessionScope, _ call: Call
  ) async throws -> PasswordOutcome {
    let attempt = try await decide(call) { try $0.beginPasswordLogin(userName, call) }
    let isRight = try await hashing.matches(password, attempt.hash, as: .password, for: call.request.address)
    return try await decide(call) { try $0.finishPasswordLogin(attempt, isRight: isRight, scope) }
  }
}
