import AccessMessages
import ArgumentParser
import JSON
import ProgramSupport
import WalletAccess

/// Changes the user's own limit of inactivity.
struct TimeoutCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeout", abstract: "Set your own limit of inactivity, also of an open session.",
    help: CommandHelp(
      examples: [
        "tap-wallet timeout --state mobile 300": "Log out after five minutes without a command."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Argument(help: "Your limit in seconds, which only shortens the issuer's; 0 for none of your own; stored.")
  var seconds: Int

  func validate() throws {
    guard (0...31_536_000).contains(seconds) else { throw ValidationError("The limit is 0 to 31536000 seconds.") }
  }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let limit = try await AuthenticationCoordinator(run.wallet()).setInactivityLimit(
      seconds: seconds == 0 ? nil : seconds)
    return WalletRun.Success(
      members: [("idleSeconds", limit.map { JSONValue($0) })],
      text: limit.map { "the session ends after \($0) s without activity" } ?? "stored for the next login")
  }
}

/// Changes the PIN of the wallet.
struct ChangePINCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-pin", abstract: "Change the PIN of the wallet, after a login.",
    help: CommandHelp(
      "Prompts: oldPin, newPin. A wrong old PIN counts as one at a login.",
      examples: [
        "tap-wallet change-pin --state mobile": "Change the PIN."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let wallet = try run.wallet()
    let coordinator = AuthenticationCoordinator(wallet)
    try await coordinator.recordActivity()
    let requirements = try await UserEnrolmentCoordinator(wallet).requirements()
    let old = try await run.secret("oldPin", "Old PIN of the wallet")
    let new = try await run.walletUser.newSecret(.pin, requirements)
    try await coordinator.changePIN(old, to: new, under: requirements)
    return WalletRun.Success(text: "changed the PIN of the wallet")
  }
}
