import ArgumentParser
import JSON
import ProgramSupport
import WalletAccess

/// Biometric login of the wallet.
struct BiometricCommand: WalletCommand {
  /// What is done.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
    case prefer
    case status
  }

  static let configuration = CommandConfiguration(
    commandName: "biometric", abstract: "Register, remove, prefer and show biometric login of the wallet.",
    help: CommandHelp(
      """
      on: logs in by PIN (prompt: pin) and registers; the PIN stays preferred. off: removes it. prefer: login \
      without a way asks for biometrics first, with --pin for the PIN. status: shows it, with every condition \
      that is not met, and removes it when the enrolled fingers or faces have changed.
      """,
      examples: [
        "tap-wallet biometric on --state mobile": "Register login by biometrics.",
        "tap-wallet biometric status --state mobile": "Show whether it can be used.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Argument(help: "What to do.")
  var action: Action
  @Flag(help: "Prefer the PIN again.")
  var pin = false

  func validate() throws {
    guard !pin || action == .prefer else { throw ValidationError("--pin belongs to biometric prefer.") }
  }

  var operation: String { "biometric \(action.rawValue)" }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let authenticator = BiometricAuthenticator(try run.wallet())
    switch action {
    case .on: try await authenticator.register(asking: run.walletUser)
    case .off: return try await deregister(authenticator)
    case .prefer: try await authenticator.setPreferred(!pin)
    case .status: return try await status(authenticator)
    }
    return try await WalletRun.Success(authenticator.state())
  }

  private func deregister(_ authenticator: BiometricAuthenticator) async throws -> WalletRun.Success {
    let isInformed = try await authenticator.deregister()
    var success = try await WalletRun.Success(authenticator.state())
    success.members.append(("serverInformed", JSONValue(isInformed)))
    if !isInformed { success.text += "; the next command that reaches the issuer reports it" }
    return success
  }

  private func status(_ authenticator: BiometricAuthenticator) async throws -> WalletRun.Success {
    let isRemoved = try await authenticator.removeIfChanged()
    var success = try await WalletRun.Success(authenticator.state())
    if isRemoved { success.text += "; it was removed, because the enrolled fingers or faces have changed" }
    let missing = try await authenticator.missingConditions()
    success.members += [
      ("removed", isRemoved ? JSONValue(true) : nil), ("missingCondition", missing.first.map { JSONValue($0.code) }),
      ("missingConditions", JSONValue(missing.map { JSONValue($0.code) })),
    ]
    for condition in missing { success.text += "; \(condition)" }
    return success
  }
}

extension WalletRun.Success {
  init(_ state: BiometricAuthenticator.State) {
    members = [("registered", JSONValue(state.isRegistered)), ("preferred", JSONValue(state.isPreferred))]
    text =
      "biometric login is \(state.isRegistered ? "on" : "off"), \(state.isPreferred ? "biometrics" : "the PIN") preferred"
  }
}
