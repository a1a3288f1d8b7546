public import AccessMessages
internal import Documents
internal import JSON
public import MobileAuthentication

/// Asks the user for a new PIN or password.
public protocol NewSecretResponder: Sendable {
  /// Returns the new value.
  ///
  /// - Parameter requirements: What the issuer requires of it.
  func newSecret(
    _ secret: RecoveryRequest.Secret, _ requirements: WalletRequirements
  ) async throws(InteractionCancelled) -> EnteredSecret
}

/// Replaces a forgotten PIN or password: user name, security question, new value. All sessions of the wallet end then.
public struct RecoveryCoordinator: Sendable {
  private let wallet: WalletAccess

  /// Creates a coordinator.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// Replaces a forgotten secret.
  ///
  /// - Throws: `.wrongCredentials` for a wrong answer; `.profile(.weakPIN)` or `.profile(.weakPassword)` for a new value
  ///   that does not meet the requirements, before it is sent.
  public func reset(
    _ secret: RecoveryRequest.Secret, userName: String, answering questions: any SecurityQuestionResponder,
    choosing newSecrets: any NewSecretResponder
  ) async throws(WalletAccessError) {
    try await wallet.renewLostIdentity()
    let requirements = try await wallet.requirements()
    let prompt = try await step(.begin(userName: userName, secret), QuestionPrompt.init)
    let answer = try await wallet.ask { () async throws(InteractionCancelled) in
      try await questions.answer(to: prompt)
    }
    let token = try await step(.answer(token: prompt.token, answer: try answer.text), ResetToken.init)
    let value = try await wallet.ask { () async throws(InteractionCancelled) in
      try await newSecrets.newSecret(secret, requirements)
    }.text
    if let refusal = requirements.refusal(of: value, as: secret) { throw .profile(refusal) }
    _ = try await wallet.send(
      .post, WalletPath.recoveries, RecoveryRequest.reset(resetToken: token.resetToken, newSecret: value).json)
    try await wallet.forgetSession()
  }

  private func step<Value>(
    _ request: RecoveryRequest, _ read: (JSONValue) throws(DocumentError) -> Value
  ) async throws(WalletAccessError) -> Value {
    try WalletAccess.body(try await wallet.send(.post, WalletPath.recoveries, request.json), read)
  }
}
