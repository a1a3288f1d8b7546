import ArgumentParser
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// The PIN of an account.
struct PinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "The PIN of an account.", subcommands: [Change.self])

  /// Changes the PIN.
  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the PIN of an account on this device.",
      help: CommandHelp(
        "Prompts: account, oldPin, newPin. Five wrong old PINs lock the authenticator for good.",
        examples: [
          "tap-wallet pin change --state mobile --account alice": "Change the PIN of an account."
        ],
        exits: StateOptions.exits))

    @OptionGroup var change: SecretChangeOptions

    func run() async throws { try await change.run(.pin) }
  }
}

/// The password of an account.
struct PasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "The password of an account.", subcommands: [Change.self])

  /// Changes the password.
  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the password of an account on this device.",
      help: CommandHelp(
        """
        Prompts: account, oldPassword, newPassword. Five wrong old passwords lock the authenticator for good.
        """,
        examples: [
          "tap-wallet password change --state mobile --account alice": "Change the password of an account."
        ],
        exits: StateOptions.exits))

    @OptionGroup var change: SecretChangeOptions

    func run() async throws { try await change.run(.password) }
  }
}

/// The options of both changes.
struct SecretChangeOptions: ParsableArguments {
  @OptionGroup var state: ProtocolOptions
  @Option(help: "The user name; asked for when there are several.")
  var account: String?
  @OptionGroup var rules: EntryRuleOptions

  /// Changes the PIN or the password of the account.
  func run(_ kind: SecretKind) async throws {
    try await WalletRun.perform("\(kind.rawValue) change", state.state, state) { run in
      let account = try await run.account(self.account)
      let (changer, client) = (run.interactions(nil, try rules.stored(in: run)), try await run.client(isLocal: true))
      try await SecretReplacement(of: kind, username: account, changer: changer).execute(on: client)
      return WalletRun.Success(
        members: [("account", JSONValue(account))], text: "changed the \(kind.title) of \(account.visible())")
    }
  }
}
