import ArgumentParser
import JSON
import WalletAccess

/// Biometric login of the wallet.
struct BiometricCommand: AsyncParsableCommand {
  /// What is done.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
    case prefer
    case status
  }

  static let configuration = CommandConfiguration(
    commandName: "biometric", abstract: "Register, remove, prefer and show biometric login of the wallet.",
    discussion: """
      on: logs in by PIN (prompt: pin) and registers; the PIN stays preferred. off: removes it. prefer: login without a way \
      asks for biometrics first, with --pin for the PIN. status: shows it, with the first condition that is not met.
      """)

  @OptionGroup var state: StateOptions
  @Argument(help: "What to do.")
  var action: Action
  @Flag(help: "Prefer the PIN again.")
  var pin = false

  func validate() throws {
    guard !pin || action == .prefer else { throw ValidationError("--pin belongs to biometric prefer.") }
  }

  func run() async throws {
    try await WalletRun.perform("biometric \(action.rawValue)", state) { run in
      let authenticator = BiometricAuthenticator(try run.wallet())
      switch action {
      case .on: try await authenticator.register(asking: run.walletUser)
      case .off: return try await deregister(authenticator)
      case .prefer: try await authenticator.setPreferred(!pin)
      case .status: return try await status(authenticator)
      }
      return try await WalletRun.Success(authenticator.state())
    }
  }

  private func deregister(_ authenticator: BiometricAuthenticator) async throws -> WalletRun.Success {
    let isInformed = try await authenticator.deregister()
    var success = try await WalletRun.Success(authenticator.state())
    success.members.append(("serverInformed", JSONValue(isInformed)))
    if !isInformed { success.text += "; the next command that reaches the issuer reports it" }
    return success
  }

  private func status(_ authenticator: BiometricAuthenticator) async throws -> WalletRun.Success {
    let missing = try await authenticator.missingCondition()
    var success = try await WalletRun.Success(authenticator.state())
    success.members.append(("missingCondition", missing.map { JSONValue($0.code) }))
    if let missing { success.text += "; \(missing)" }
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
