import AccessMessages
import ArgumentParser
import JSON
import ProgramSupport
import WalletAccess

/// Opens a session.
struct LoginCommand: WalletCommand {
  /// The ways to log in.
  enum Way: String, EnumerableFlag {
    case password
    case pin
    case biometric
  }

  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Log in to the wallet by password, PIN or biometrics.",
    help: CommandHelp(
      """
      Prompts: account, password and answer:ID for --password; pin; challenge for --biometric. Without a way: \
      biometrics where you prefer them and issuer and device offer them, otherwise the PIN, and the password \
      where the issuer has no login by PIN or the device is not linked. A right password and the answer to a \
      security question link it.
      """,
      examples: [
        "tap-wallet login --state mobile --pin": "Log in by PIN.",
        "tap-wallet login --state tablet --password --account alice@example.org":
          "Log in by password and a security question on another device, which links it.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Flag(help: "How to log in.")
  var way: Way?
  @Option(help: "The user name for --password; left out: the one of the wallet on this device, or asked for.")
  var account: String?
  @Option(
    help: ArgumentHelp(
      "Your own limit of inactivity, shorter than the issuer's; 0 for none; stored.", valueName: "seconds"))
  var idleSeconds: Int?

  @Option(help: ArgumentHelp("The text of the prompt for a finger or a face.", valueName: "text"))
  var reason: String?

  @OptionGroup var device: DeviceNameOption
  @OptionGroup var policy: PolicyOption

  func validate() throws {
    guard (0...31_536_000).contains(idleSeconds ?? 0) else {
      throw ValidationError("--idle-seconds is 0 to 31536000.")
    }
  }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let wallet = try run.wallet()
    try await run.checkVersion(wallet)
    let result = try await policy.settingUp(run) { try await logIn(wallet, run) }
    if let idleSeconds {
      try await AuthenticationCoordinator(wallet).setInactivityLimit(seconds: idleSeconds == 0 ? nil : idleSeconds)
    }
    return WalletRun.Success(members: result.members, text: "logged in by \(result.method.rawValue)")
  }

  private func logIn(_ wallet: WalletAccess, _ run: WalletRun) async throws -> LoginResult {
    guard way != .password else { return try await logInByPassword(wallet, run) }
    if way == nil, try await !DeviceCoordinator(wallet).status().isRegistered {
      return try await logInByPassword(wallet, run)
    }
    var user = run.walletUser
    user.reason = reason
    do throws(WalletAccessError) {
      return try await BiometricAuthenticator(wallet).login(
        prefersBiometric: way.map { $0 == .biometric }, answering: user, asking: user)
    } catch {
      guard case .noPINLogin(let challenge) = error, way != .pin else { throw error }
      if let explanation = challenge.explanation { Console.note(explanation) }
      return try await logInByPassword(wallet, run)
    }
  }

  private func logInByPassword(_ wallet: WalletAccess, _ run: WalletRun) async throws -> LoginResult {
    try await device.set(wallet)
    return try await AuthenticationCoordinator(wallet).login(
      userName: try await run.userName(account), password: try await run.secret("password", "Password"),
      answering: run.walletUser)
  }
}

/// Ends the session.
struct LogoutCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Log out of the wallet, also when the server is not reached.",
    help: CommandHelp(
      examples: [
        "tap-wallet logout --state mobile": "End the session of this device."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let result = try await AuthenticationCoordinator(run.wallet()).logout()
    return WalletRun.Success(
      members: [("serverInformed", JSONValue(result.serverInformed))],
      text: result.serverInformed
        ? "logged out" : "logged out on this device; the server ends the session after its limit of inactivity")
  }
}

extension LoginResult {
  var members: [(String, JSONValue?)] {
    [
      ("method", JSONValue(method.rawValue)), ("linkedDevice", JSONValue(linkedDevice)),
      ("idleSeconds", JSONValue(idleSeconds)),
    ]
  }
}
