import ArgumentParser
import JSON
import MobileAuthentication
import Octets

/// The PIN of an account.
struct PinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "The PIN of an account.", subcommands: [Change.self])

  /// Changes the PIN.
  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the PIN of an account on this device.",
      discussion: "Prompts: account, oldPin, newPin. Five wrong old PINs lock the authenticator for good.")

    @OptionGroup var state: ProtocolOptions
    @Option(help: "The user name; asked for when there are several.")
    var account: String?
    @OptionGroup var rules: EntryRuleOptions

    func run() async throws {
      try await WalletRun.perform("pin change", state) { run in
        let account = try await run.account(self.account)
        try await PinChange(username: account, pinChanger: run.interactions(nil, try rules.stored(in: run))).execute(
          on: try await run.client(isLocal: true))
        return WalletRun.Success(
          members: [("account", JSONValue(account))], text: "changed the PIN of \(account.visible())")
      }
    }
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
      discussion: """
        Prompts: account, oldPassword, newPassword. Five wrong old passwords lock the authenticator for good.
        """)

    @OptionGroup var state: ProtocolOptions
    @Option(help: "The user name; asked for when there are several.")
    var account: String?
    @OptionGroup var rules: EntryRuleOptions

    func run() async throws {
      try await WalletRun.perform("password change", state) { run in
        let account = try await run.account(self.account)
        let change = PasswordChange(
          username: account, passwordChanger: run.interactions(nil, try rules.stored(in: run)))
        try await change.execute(on: try await run.client(isLocal: true))
        return WalletRun.Success(
          members: [("account", JSONValue(account))], text: "changed the password of \(account.visible())")
      }
    }
  }
}
