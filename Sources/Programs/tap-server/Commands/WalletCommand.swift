import AccessMessages
import ArgumentParser
import Documents
import JSON
import ProgramSupport

/// The wallets of the users, and their devices.
struct WalletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet", abstract: "List wallets, and deactivate and unlink their devices.",
    subcommands: [
      ListWalletsCommand.self, DeactivateWalletDeviceCommand.self, ActivateWalletDeviceCommand.self,
      UnlinkWalletDeviceCommand.self,
    ])
}

/// Lists wallets.
struct ListWalletsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the wallet of a user, or all.",
    help: CommandHelp(
      """
      One line for each device. The columns are user name, identifier of the device, its state and name, which \
      are - for a wallet without a device, the names of the user, and the telephone number. At a terminal they \
      have names, elsewhere a tab between them.
      """,
      examples: [
        "tap-server wallet list --user alice@example.org \(OperatorOptions.example)":
          "List the devices of a user."
      ],
      exits: OperatorOptions.exits))

  @Option(help: "The user name; all when left out.")
  var user: String?
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.list(
      as: "wallet list", "wallet", columns: ["user", "device", "state", "name", "holder", "phone"],
      OperatorPath.wallets, [("userName", user)], reading: WalletList.init
    ) { ($0.wallets.map(Self.entry), $0.next) }
  }

  private static func entry(_ wallet: WalletList.Entry) -> ListEntry {
    let devices = wallet.devices.map { device -> JSONValue in
      [
        "deviceId": JSONValue(device.deviceID), "name": JSONValue(device.name),
        "state": JSONValue(device.state), "createdAt": JSONValue(device.createdAt),
      ]
    }
    let holder = ["\(wallet.firstName) \(wallet.lastName)", wallet.phone]
    let rows = wallet.devices.map { [wallet.userName, $0.deviceID, $0.state, $0.name] + holder }
    return ListEntry(
      members: [
        ("userName", JSONValue(wallet.userName)), ("firstName", JSONValue(wallet.firstName)),
        ("lastName", JSONValue(wallet.lastName)), ("phone", JSONValue(wallet.phone)),
        ("createdAt", JSONValue(wallet.createdAt)),
        ("devices", JSONValue(devices)),
      ], rows: rows.isEmpty ? [[wallet.userName, "-", "-", "-"] + holder] : rows)
  }
}

extension WalletList.Device {
  /// A device that was deactivated and then unlinked cannot be linked until it is activated.
  fileprivate var state: String { isLinked ? isActive ? "active" : "inactive" : "unlinked" }
}

/// Deactivates a device of a wallet.
struct DeactivateWalletDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate", abstract: "Refuse a device until it is activated again, and end its sessions.",
    help: CommandHelp(
      "The device cannot be linked with this wallet again either, after it was unlinked.",
      examples: [
        "tap-server wallet deactivate DEVICE \(OperatorOptions.example)":
          "Refuse the device with this identifier."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier of the device that `wallet list` prints.")
  var device: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(wallet: device, isActive: false, nil, "wallet deactivate") }
}

/// Activates a device of a wallet.
struct ActivateWalletDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Activate a device of a wallet again, also one that was unlinked.",
    help: CommandHelp(
      examples: [
        "tap-server wallet activate DEVICE \(OperatorOptions.example)":
          "Accept it again."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier of the device that `wallet list` prints.")
  var device: String
  @Option(help: "The user name; needed for a device that is deactivated for several wallets.")
  var user: String?
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(wallet: device, isActive: true, user, "wallet activate") }
}

/// Unlinks a device of a wallet.
struct UnlinkWalletDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Unlink a device from its wallet. The wallet stays.",
    help: CommandHelp(
      examples: [
        "tap-server wallet unlink DEVICE \(OperatorOptions.example)":
          "Unlink it from its wallet."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier of the device that `wallet list` prints.")
  var device: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.send(
      .delete, OperatorPath.walletDevice(device.percentEncoded), as: "wallet unlink",
      done: "unlinked the device \(device)")
  }
}

extension OperatorOptions {
  fileprivate func change(
    wallet device: String, isActive: Bool, _ user: String?, _ operation: String
  ) async throws {
    let path = OperatorPath.walletDevice(device.percentEncoded)
    try await send(
      .patch, path, DeviceStateChange(isActive: isActive, userName: user).json, as: operation,
      done: "\(isActive ? "activated" : "deactivated") the device \(device)")
  }
}
