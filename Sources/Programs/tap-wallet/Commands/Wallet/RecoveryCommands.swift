public import AccessMessages
public import ArgumentParser
import Documents
import FIDOUAF
import JSON
import Octets
import ProgramSupport
import WalletAccess

/// Replaces a forgotten PIN or password.
struct ForgotCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "forgot", abstract: "Replace a forgotten PIN or password of the wallet.",
    help: CommandHelp(
      """
      Prompts: account, answer:ID, and newPin or newPassword. All sessions of the wallet end. A PIN is \
      replaced on a linked device only.
      """,
      examples: [
        "tap-wallet forgot --state mobile pin": "Replace a forgotten PIN."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Argument(help: "What was forgotten.")
  var secret: RecoveryRequest.Secret
  @Option(help: "The user name; left out: the one of the wallet on this device, or asked for.")
  var account: String?

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let userName = try await run.userName(account)
    try await RecoveryCoordinator(run.wallet()).reset(
      secret, userName: userName, answering: run.walletUser, choosing: run.walletUser)
    return WalletRun.Success(
      members: [("secret", JSONValue(secret.rawValue))],
      text: "replaced the \(secret == .pin ? "PIN" : "password")")
  }
}

extension RecoveryRequest.Secret: ExpressibleByArgument {}

/// The devices of a wallet, for a user who lost one.
struct LostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lost", abstract: "List and unlink the devices of a wallet, for a user who lost one.",
    help: CommandHelp(
      "The devices of an account without a wallet are those of lost authenticators."),
    subcommands: [List.self, Remove.self, LostAuthenticatorsCommand.self])

  /// The user of the wallet.
  struct User: ParsableArguments {
    @OptionGroup var state: StateOptions
    @Option(help: "The user name; left out: the one of the wallet on this device, or asked for.")
    var account: String?

    func coordinator(_ run: WalletRun) async throws -> LostDeviceCoordinator {
      LostDeviceCoordinator(
        try run.wallet(), userName: try await run.userName(account),
        password: try await run.secret("password", "Password"), answering: run.walletUser)
    }
  }

  /// Lists the devices.
  struct List: WalletCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the devices of the wallet.",
      help: CommandHelp(
        "Prompts: account, password, answer:ID. Works on any device, linked or not.",
        examples: [
          "tap-wallet lost list --state tablet --account alice@example.org":
            "List the devices of a wallet on any device."
        ],
        exits: StateOptions.exits))

    @OptionGroup var user: User
    var state: StateOptions { user.state }

    var operation: String { "lost list" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      let devices = try await user.coordinator(run).devices()
      let lines = devices.map { device in
        let facts = [
          device.name.visible(), device.system?.visible(), "linked \(device.createdAt.moment)",
          device.lastContactAt.map { "last contact \($0.moment)" }, device.isActive ? nil : "inactive",
          device.isCurrent ? "this device" : nil,
        ]
        return "\(device.deviceID)  " + facts.compactMap(\.self).joined(separator: ", ")
      }
      return WalletRun.Success(
        members: [("devices", WalletDeviceList(devices).json["devices"])],
        text: devices.isEmpty ? "no device is linked" : lines.joined(separator: "\n"))
    }
  }

  /// Unlinks a device.
  struct Remove: WalletCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Unlink a device from the wallet.",
      help: CommandHelp(
        "Prompts: account, password, answer:ID. Works on any device, linked or not.",
        examples: [
          "tap-wallet lost remove --state tablet DEVICE": "Unlink the device with this identifier."
        ],
        exits: StateOptions.exits))

    @OptionGroup var user: User
    var state: StateOptions { user.state }
    @Argument(help: ArgumentHelp("The device, as the list names it.", valueName: "device"))
    var device: String

    var operation: String { "lost remove" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      try await user.coordinator(run).remove(device)
      return WalletRun.Success(members: [("device", JSONValue(device))], text: "unlinked \(device)")
    }
  }
}
