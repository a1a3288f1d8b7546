internal import AccessMessages
internal import Octets
internal import ServerStore

/// An answer that is compared with its hash between two transactions. Its token is used up, and stays in the store until
/// the second one: a withdrawal in between removes it.
struct AnswerAttempt: Sendable {
  let device: SigningDevice
  let token: WalletTokenRecord
  /// The hash; nil for a user name that does not exist.
  let hash: SaltedHash?
}

extension WalletRules {
  /// The most wrong answers of one user in `answerPeriod` from one origin. Answers can be guessed more easily than passwords.
  static let answerLimit = 5
  /// The period in which wrong answers are counted: one hour, in milliseconds.
  static let answerPeriod: Int64 = 3_600_000

  /// Uses up the token of a question and finds the hash of its answer.
  ///
  /// - Throws: A refusal with code `wrongCredentials` or `tooManyFailures`.
  func beginAnswer(
    _ text: String, for purposes: Set<WalletTokenRecord.Purpose>, of device: SigningDevice
  ) throws(AccessError) -> AnswerAttempt {
    let token = try walletToken(text, of: device, for: purposes)
    try checkGuesses(
      .answers, userName: token.userName, origin(device, wallet: token.wallet), limit: Self.answerLimit)
    var used = token
    used.usedAt = now
    try transaction.save(used)
    var stored: String?
    if let id = token.wallet { stored = try wallet(id).answers.first { $0.questionID == token.questionID }?.hash }
    return AnswerAttempt(device: device, token: token, hash: try stored.map(SaltedHash.init(stored:)))
  }

  /// Counts a wrong answer. Answers that are sent at the same time are counted one after the other.
  ///
  /// - Returns: The wallet whose question was answered rightly.
  /// - Throws: A refusal with code `wrongCredentials` or `tooManyFailures`.
  func finishAnswer(_ attempt: AnswerAttempt, isRight: Bool) throws(AccessError) -> EnrolledWalletRecord {
    let origin = origin(attempt.device, wallet: attempt.token.wallet)
    try checkGuesses(.answers, userName: attempt.token.userName, origin, limit: Self.answerLimit)
    let isCurrent = try transaction.walletToken(attempt.token.digest) != nil
    try transaction.remove(WalletTokenRecord.self, attempt.token.digest)
    guard isRight, isCurrent, let id = attempt.token.wallet, let wallet = try transaction.wallet(id) else {
      try countGuess(.answers, userName: attempt.token.userName, origin, period: Self.answerPeriod)
      try audit(
        .question, "wrong answer", account: attempt.token.wallet == nil ? nil : attempt.token.userName,
        device: attempt.device.deviceID)
      throw .wrongCredentials
    }
    // The count stays: with the answer to one question, the others could be guessed without a limit.
    try audit(.question, "right answer", account: wallet.userName, device: attempt.device.deviceID)
    return wallet
  }

  /// Uses up the token of a login.
  func beginLoginAnswer(_ body: QuestionAnswer, _ request: SignedRequest) throws(AccessError) -> AnswerAttempt {
    let device = try signingDevice(request)
    if let described = body.device { try device.check(described) }
    let purposes: Set<WalletTokenRecord.Purpose> = body.device == nil ? [.lostDevice] : [.login, .lostDevice]
    return try beginAnswer(body.token, for: purposes, of: device)
  }

  /// Begins the session of a login whose question was answered. For the scope `wallet` it links the device.
  func finishLoginAnswer(_ attempt: AnswerAttempt, _ body: QuestionAnswer, isRight: Bool) throws(AccessError)
    -> WalletSession
  {
    let wallet = try finishAnswer(attempt, isRight: isRight)
    let device = try current(attempt.device)
    guard attempt.token.purpose == .login, let described = body.device else {
      return try beginSession(wallet, on: device, .password, scope: .lostDevice)
    }
    return try beginSession(
      wallet, on: try link(described, with: LinkReads(wallet.id, in: transaction), device), .password,
      userLimit: body.idleSeconds)
  }

  /// Draws one of the questions that the user answered at enrolment. A question that the issuer has removed from its pool since
  /// is drawn only when no other is left: its missing text would reveal that the user exists.
  func question(
    _ purpose: WalletTokenRecord.Purpose, _ wallet: EnrolledWalletRecord, for device: SigningDevice
  ) throws(AccessError) -> QuestionPrompt {
    let (pool, answered) = (configuration.wallets.requirements.questions, wallet.answers.map(\.questionID))
    let known = answered.filter { id in pool.contains { $0.id == id } }
    return try question(
      purpose, wallet, userName: wallet.userName, among: known.isEmpty ? answered : known, for: device)
  }

  /// Draws one of some questions.
  ///
  /// - Parameter wallet: The wallet; nil for a user name that does not exist.
  func question(
    _ purpose: WalletTokenRecord.Purpose, _ wallet: EnrolledWalletRecord?, userName: String, among questions: [String],
    for device: SigningDevice
  ) throws(AccessError) -> QuestionPrompt {
    guard let drawn = draw(questions) else {
      throw .damaged("a wallet has no answer to a question")
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
  /// Answers the question of a login.
  func answer(_ body: QuestionAnswer, _ request: SignedRequest) async throws(AccessError) -> WalletSession {
    let attempt = try await decide(request) { try $0.beginLoginAnswer(body, request) }
    let isRight = try await hashing.matches(
      EnteredForm.answer(body.answer), attempt.hash, as: .short, for: request.address)
    return try await decide(request) { try $0.finishLoginAnswer(attempt, body, isRight: isRight) }
  }
}
