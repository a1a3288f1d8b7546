import AccessMessages
import JSON
import MobileAuthentication
import Octets
import WalletAccess

/// The interactions of the wallet commands, on one prompter.
struct WalletUser: Sendable {
  let prompter: Prompter
}

extension WalletUser: PINChallengeResponder {
  func pin(for challenge: PINChallenge) async throws(InteractionCancelled) -> EnteredSecret {
    let text =
      switch challenge.reason {
      case .login, .registration: "PIN of the wallet"
      case .fallback: "Not recognised, or PIN chosen. PIN of the wallet"
      case .biometricsRemoved: "The enrolled fingers have changed, so biometric login is off. PIN of the wallet"
      }
    return EnteredSecret(
      try await prompter.ask(
        Prompt(
          name: "pin", text: text, echoes: false, details: [("reason", JSONValue(challenge.reason.rawValue))])))
  }
}

extension WalletUser: BiometricChallengeResponder {
  func respond(to challenge: BiometricChallenge) async -> BiometricAnswer {
    do throws(InteractionCancelled) {
      let prompt = Prompt(
        name: "challenge", text: "Log in by biometrics (prompt, pin or cancel)",
        details: [("choices", ["prompt", "pin", "cancel"])])
      let choice: ChallengeChoice = try await prompter.choose(prompt)
      switch choice {
      case .prompt: return .prompt("Log in to the wallet at \(challenge.server)")
      case .pin: return .pinFallback
      case .cancel: return .cancel
      }
    } catch {
      return .cancel
    }
  }
}

/// The answers to an offer of a biometric login.
private enum ChallengeChoice: String, CaseIterable {
  case prompt
  case pin
  case cancel
}

extension WalletUser: SecurityQuestionResponder {
  func answer(to question: QuestionPrompt) async throws(InteractionCancelled) -> EnteredSecret {
    EnteredSecret(try await answer(question.questionID, question.text))
  }

  /// Asks a question of the issuer's pool.
  func answer(_ id: String, _ text: String) async throws(InteractionCancelled) -> String {
    let shown = text.visible()
    return try await prompter.ask(
      Prompt(name: "answer:\(id)", text: shown, echoes: false, details: [("question", JSONValue(shown))]))
  }
}

extension WalletUser: NewSecretResponder {
  func newSecret(
    _ secret: RecoveryRequest.Secret, _ requirements: WalletRequirements
  ) async throws(InteractionCancelled) -> EnteredSecret {
    let prompt =
      switch secret {
      case .pin: Prompt(name: "newPin", text: "New PIN", rule: requirements.pin.rule, echoes: false)
      case .password:
        Prompt(name: "newPassword", text: "New password", rule: requirements.password.rule, echoes: false)
      }
    return EnteredSecret(try await prompter.askNewSecret(prompt))
  }
}
