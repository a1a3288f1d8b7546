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
      switch try await prompter.ask(prompt) {
      case "prompt": return .prompt("Log in to the wallet at \(challenge.server)")
      case "pin": return .pinFallback
      default: return .cancel
      }
    } catch {
      return .cancel
    }
  }
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
  func newSecret(_ secret: RecoveryRequest.Secret) async throws(InteractionCancelled) -> EnteredSecret {
    let (name, text) = secret == .pin ? ("newPin", "New PIN") : ("newPassword", "New password")
    return EnteredSecret(try await prompter.ask(Prompt(name: name, text: text, echoes: false)))
  }
}
