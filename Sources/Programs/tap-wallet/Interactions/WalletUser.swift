import AccessMessages
import DeviceAuthentication
import JSON
import MobileAuthentication
import Octets
import WalletAccess

/// The interactions of the wallet commands, on one prompter.
struct WalletUser: Sendable {
  let prompter: Prompter
  /// The text of the prompt for a finger or a face; nil for the standard one.
  var reason: String?
}

extension WalletUser: PINChallengeResponder {
  func pin(for challenge: PINChallenge) async throws(InteractionCancelled) -> EnteredSecret {
    let text = [challenge.explanation, "PIN of the wallet"].compactMap(\.self).joined(separator: " ")
    return EnteredSecret(
      try await prompter.ask(
        Prompt(
          name: "pin", text: text, echoes: false, details: [("reason", JSONValue(challenge.reason.rawValue))])))
  }
}

extension PINChallenge {
  /// Why the PIN is asked for and not biometrics, as a sentence; nil where the PIN is the way.
  var explanation: String? {
    switch reason {
    case .login, .registration: nil
    case .fallback: "Not recognised, or PIN chosen."
    case .locked: "Too many attempts: \(kind.word) recognition is locked until the passcode of the device is entered."
    case .unavailable: "The device cannot recognise your \(kind.word) now."
    case .tampered: "This process is observed, so that biometric login is not used."
    case .withdrawn: "The issuer has withdrawn biometric login."
    case .tokenGone: "Biometric login was removed from this device."
    case .biometricsRemoved: "The enrolled \(kind.plural) have changed, so that biometric login is off."
    }
  }
}

extension BiometricKind {
  /// The kind as a word.
  var word: String { rawValue }
  /// The kind in the plural.
  var plural: String { rawValue + "s" }
  /// What the person does at the sensor.
  var instruction: String {
    switch self {
    case .finger: "touch the sensor"
    case .face: "look at the camera"
    }
  }
}

extension WalletUser: BiometricChallengeResponder {
  func respond(to challenge: BiometricChallenge) async -> BiometricAnswer {
    do throws(InteractionCancelled) {
      let prompt = Prompt(
        name: "challenge",
        text: "Log in by \(challenge.kind.word): \(challenge.kind.instruction) (prompt, pin or cancel)",
        details: [("choices", ["prompt", "pin", "cancel"]), ("kind", JSONValue(challenge.kind.rawValue))])
      let choice: ChallengeChoice = try await prompter.choose(prompt)
      switch choice {
      case .prompt: return .prompt(reason ?? "Log in to the wallet at \(challenge.server)")
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
