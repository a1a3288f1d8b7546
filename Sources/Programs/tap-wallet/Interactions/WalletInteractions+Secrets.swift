import MobileAuthentication

// PIN and password.
extension WalletInteractions: SecretEnroller {
  func policy(for kind: SecretKind) -> (any EntryPolicy)? { kind == .pin ? rules.pinPolicy : rules.passwordRules }

  func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret {
    var prompt = Prompt(
      name: context.kind.rawValue, text: "New \(context.kind.title) of \(context.account.username)",
      rule: rules.sentence(for: context.kind), echoes: false)
    prompt.lastError = context.kind.error(context.lastRecoverableError)
    return EnteredSecret(try await prompter.askNewSecret(prompt))
  }
}

extension WalletInteractions: SecretVerifier {
  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    let text = "\(context.kind.title) of \(context.account.username)"
    return EnteredSecret(try await prompter.ask(Prompt(context.kind.rawValue, text, context)))
  }
}

extension WalletInteractions: SecretChanger {
  func change(_ context: SecretVerification) async throws(InteractionCancelled) -> SecretChange {
    let (kind, user) = (context.kind, context.account.username)
    let old = try await prompter.ask(Prompt("old" + kind.codeName, "Old \(kind.title) of \(user)", context))
    // The countdown has run before the old value.
    var newPrompt = Prompt("new" + kind.codeName, "New \(kind.title) of \(user)", context)
    newPrompt.coolDown = .zero
    newPrompt.lastError = nil
    newPrompt.rule = rules.sentence(for: kind)
    let new = try await prompter.askNewSecret(newPrompt)
    return SecretChange(old: EnteredSecret(old), new: EnteredSecret(new))
  }
}

extension Prompt {
  /// A question under the rule against guessing.
  init(_ name: String, _ text: String, _ context: SecretVerification) {
    self.init(name: name, text: text, echoes: false)
    lastError = context.kind.error(context.lastRecoverableError)
    switch context.protectionStatus {
    case .unlocked: remainingRetries = AttemptRecord.limit
    case .lastAttemptFailed(let retries, let duration): (remainingRetries, coolDown) = (retries, duration)
    case .lockedOut: remainingRetries = 0
    }
  }
}

extension SecretKind {
  func error(_ refusal: EntryRefusal?) -> (code: String, message: String)? {
    refusal.map { ($0.code(for: self), $0.message(for: self)) }
  }
}
