import AccessMessages
import ArgumentParser
import Documents
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// The devices of an account of authenticators, for a user who lost one.
struct LostAuthenticatorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticators",
    abstract: "List and remove the devices with authenticators of an account.",
    help: CommandHelp(
      "You authenticate with an authenticator of this device first."), subcommands: [List.self, Remove.self])

  /// The account, and the authenticator of this device that authorises the command.
  struct User: ParsableArguments {
    @OptionGroup var state: ProtocolOptions
    @Option(help: "The user name; asked for when there are several.")
    var account: String?
    @Option(help: "The authenticator; asked for when several can be used.")
    var authenticator: AuthenticatorChoice?

    func devices(_ run: WalletRun) async throws -> (AccountDevices, MobileAuthenticationClient) {
      let name = try await run.account(account)
      let known = try await run.localData.accounts().first { $0.username.hasSameOctets(as: name) }
      guard let known else { throw CommandFailure.noAccount }
      let authentication = Authentication(
        username: name, options: Authentication.Options(run.interactions(authenticator)))
      return (AccountDevices(known, authentication: authentication), try await run.client(of: name))
    }
  }

  /// Lists the devices.
  struct List: ProtocolCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the devices with authenticators of the account.",
      help: CommandHelp(
        "Prompts: account, authenticator, pin, password.",
        examples: [
          "tap-wallet lost authenticators list --state tablet --account alice": "List the devices of an account."
        ],
        exits: StateOptions.exits))

    @OptionGroup var user: User
    var state: ProtocolOptions { user.state }
    var operation: String { "lost authenticators list" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      let (devices, client) = try await user.devices(run)
      let list = try await devices.list(on: client)
      return WalletRun.Success(
        members: [("devices", JSONValue(list.map(\.json)))], text: list.map(\.line).joined(separator: "\n"))
    }
  }

  /// Removes a device.
  struct Remove: ProtocolCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove another device of the account, with its authenticators.",
      help: CommandHelp(
        """
        Prompts: account, authenticator, pin, password. What the device was given ends with it: authorizations \
        and pending operations.
        """,
        examples: [
          "tap-wallet lost authenticators remove --state tablet DEVICE": "Remove the device with this identifier."
        ],
        exits: StateOptions.exits))

    @OptionGroup var user: User
    @Argument(help: ArgumentHelp("The device, as the list names it.", valueName: "device"))
    var device: String
    var state: ProtocolOptions { user.state }
    var operation: String { "lost authenticators remove" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      let (devices, client) = try await user.devices(run)
      try await devices.remove(device, on: client)
      return WalletRun.Success(members: [("device", JSONValue(device))], text: "removed \(device)")
    }
  }
}

extension AccountDevices.Device {
  fileprivate var json: JSONValue {
    JSONValue(members: entry.members + [("current", JSONValue(isCurrent))])
  }

  fileprivate var line: String {
    let facts = [
      entry.name.visible(), "registered \(entry.createdAt.moment)", entry.state == "active" ? nil : entry.state,
      isCurrent ? "this device" : nil,
    ]
    return "\(entry.id)  " + facts.compactMap(\.self).joined(separator: ", ")
  }
}
