import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// The interactions of all operations, on one prompter.
struct WalletInteractions: Sendable {
  let prompter: Prompter
  /// The authenticator that an option names; nil to ask.
  var authenticator: AuthenticatorChoice?
  /// What a new PIN or password must be like.
  var rules = EntryRules()
}

extension WalletInteractions: AccountSelector {
  func selectAccount(_ context: AccountSelection) async throws(InteractionCancelled) -> String {
    let names = context.options.filter(\.isPolicyCompliant).map(\.account.username)
    if names.count == 1 { return names[0] }
    let shown = names.map { $0.visible() }.joined(separator: ", ")
    let prompt = Prompt(
      name: "account", text: "Account (\(shown))", details: [("choices", JSONValue(names.map { JSONValue($0) }))])
    return try await prompter.ask(prompt) { answer in
      names.contains { $0.hasSameOctets(as: answer) } ? nil : ("UnknownChoice", "The answer is one of: \(shown).")
    }
  }
}

extension WalletInteractions: AuthenticatorSelector {
  func selectAuthenticator(_ context: AuthenticatorSelection) async throws(InteractionCancelled) -> AAID {
    if let authenticator { return choose(authenticator, of: context) }
    let usable = context.options.filter { option in
      option.isPolicyCompliant && option.isSupportedByHardware
        && (option.isRegistered || context.purpose == .registration)
    }
    let names = usable.compactMap { AuthenticatorChoice(of: $0.aaid)?.rawValue }
    if context.purpose == .authentication, usable.count == 1 { return usable[0].aaid }
    let answer: AuthenticatorChoice = try await prompter.choose(
      Prompt(
        name: "authenticator", text: "Authenticator (\(names.joined(separator: ", ")))",
        details: [("choices", JSONValue(names.map { JSONValue($0) }))]))
    return choose(answer, of: context)
  }

  var candidates: Set<AuthenticatorKind>? {
    authenticator.map { choice in Set(AuthenticatorKind.allCases.filter { AuthenticatorChoice($0) == choice }) }
  }

  /// A finger or a face: what the device has. One that does not comply is returned as well, and refused by the client.
  private func choose(_ choice: AuthenticatorChoice, of context: AuthenticatorSelection) -> AAID {
    let options = context.options.filter { AuthenticatorChoice(of: $0.aaid) == choice }
    let best = options.first { $0.isSupportedByHardware } ?? options.first
    guard let best else { return choice.defaultAAID }
    return best.aaid
  }
}

extension WalletInteractions: TransactionConfirmer {
  func confirm(_ context: TransactionConfirmation) async throws(InteractionCancelled) {
    // This program shows no images, and a person cannot confirm what is not shown.
    guard let text = context.transaction.text?.visible() else {
      Console.note("The server asks for the confirmation of an image, which this program cannot show: it is refused.")
      throw InteractionCancelled()
    }
    let answer: Confirmation = try await prompter.choose(
      Prompt(
        name: "confirm", text: "\(text)\nConfirm (yes or no)",
        details: [("transaction", JSONValue(text))]))
    guard answer == .yes else { throw InteractionCancelled() }
  }

  private enum Confirmation: String, CaseIterable {
    case yes
    case no
  }
}

extension WalletInteractions: DevicePromptText {
  func promptText(_ context: DevicePromptRequest) async throws(InteractionCancelled) -> String {
    switch context.purpose {
    case .registration: "Register \(context.account.username) on this device"
    case .authentication:
      context.transaction == nil
        ? "Authenticate \(context.account.username)" : "Confirm the transaction of \(context.account.username)"
    }
  }
}
