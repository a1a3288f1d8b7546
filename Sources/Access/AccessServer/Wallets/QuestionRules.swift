internal import AccessMessages

/// An answer that is compared with its hash between two transactions. Its token is used up, and stays in the store until
/// the second one: a withdrawal in between removes it.
struct AnswerAttempt: Sendable {
  let device: SigningDevice
  let token: WalletTokenRecord
  /// The hash; nil for a user name that does not exist.
  let hash: SaltedHash?
}

extension Rules {
  /// The most wrong answers of one user in `answerPeriod` from one origin. Answers can be guessed more easily than passwords.
  static let answerLimit = 5
  /// The period in which wrong answers are counted: one hour, in milliseconds.
  static let answerPeriod: Int64 = 3_600_000

  /// Uses up the token of a question and finds the hash of its answer.
  ///
  /// - Throws: `AccessFailure` with code `wrongCredentials` or `tooManyFailures`.
  func beginAnswer(
    _ text: String, for purposes: Set<WalletTokenRecord.Purpose>, of device: SigningDevice
  ) throws -> AnswerAttempt {
    let token = try walletToken(text, of: device, for: purposes)
    try checkGuesses(
      .answers, userName: token.userName, origin(device, wallet: token.wallet), limit: Self.answerLimit)
    var used = token
    used.usedAt = now
    try transaction.save(used)
    var stored: String?
    if let id = token.wallet { stored = try wallet(id).answers.first { $0.questionID == token.questionID }?.hash }
    return AnswerAttempt(device: device, token: token, hash: try SaltedHash.reading(stored))
  }

  /// Counts a wrong answer. Answers that are sent at the same time are counted one after the other.
  ///
  /// - Returns: The wallet whose question was answered rightly.
  /// - Throws: `AccessFailure` with code `wrongCredentials` or `tooManyFailures`.
  func finishAnswer(_ attempt: AnswerAttempt, isRight: Bool) throws -> WalletRecord {
    let origin = origin(attempt.device, wallet: attempt.token.wallet)
    try checkGuesses(.answers, userName: attempt.token.userName, origin, limit: Self.answerLimit)
    let isCurrent = try transaction.walletToken(attempt.token.digest) != nil
    try transaction.removeWalletToken(attempt.token.digest)
    guard isRight, isCurrent, let id = attempt.token.wallet, let wallet = try transaction.wallet(id) else {
      try countGuess(.answers, userName: attempt.token.userName, origin, period: Self.answerPeriod)
      try audit(
        .question, "wrong answer", account: attempt.token.wallet == nil ? nil : attempt.token.userName,
        device: attempt.device.deviceID)
      throw AccessFailure.wrongCredentials
    }
    // The count stays: with the answer to one question, the others could be guessed without a limit.
    try audit(.question, "right answer", account: wallet.userName, device: attempt.device.deviceID)
    return wallet
  }

  /// Uses up the token of a login.
  func beginLoginAnswer(_ body: QuestionAnswer, _ call: Call) throws -> AnswerAttempt {
    let device = try signingDevice(call)
    if let described = body.device { try device.check(described) }
    let purposes: Set<WalletTokenRecord.Purpose> = body.device == nil ? [.lostDevice] : [.login, .lostDevice]
    return try beginAnswer(body.token, for: purposes, of: device)
  }

  /// Begins the session of a login whose question was answered. For the scope `wallet` it links the device.
  func finishLoginAnswer(_ attempt: AnswerAttempt, _ body: QuestionAnswer, isRight: Bool) throws -> WalletSession {
    let wallet = try finishAnswer(attempt, isRight: isRight)
    let device = try current(attempt.device)
    guard attempt.token.purpose == .login, let described = body.device else {
      return try beginSession(wallet, on: device, .password, scope: .lostDevice)
    }
    return try beginSession(wallet, on: try link(described, with: wallet, device), .password)
  }
}

extension AccessService {
  /// Answers the question of a login.
  func answer(_ body: QuestionAnswer, _ call: Call) async throws -> WalletSession {
    let attempt = try await decide(call) { try $0.beginLoginAnswer(body, call) }
    let isRight = try await hashing.matches(
      EnteredForm.answer(body.answer), attempt.hash, as: .short, for: call.request.address)
    return try await decide(call) { try $0.finishLoginAnswer(attempt, body, isRight: isRight) }
  }
}
