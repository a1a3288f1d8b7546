import AccessMessages
import ArgumentParser
import Documents
import ProgramSupport

/// The devices of the users.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List, deactivate and remove devices.",
    subcommands: [
      ListDevicesCommand.self, DeactivateDeviceCommand.self, ActivateDeviceCommand.self, RemoveDeviceCommand.self,
    ])
}

/// Lists devices.
struct ListDevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the devices of an account, or all.",
    help: CommandHelp(
      """
      The columns are identifier, state, account and name. At a terminal they have names, elsewhere a tab \
      between them. The state is active, inactive, or removed: deactivated and then removed.
      """,
      examples: [
        "tap-server device list --account alice \(OperatorOptions.example)":
          "List the devices of an account."
      ],
      exits: OperatorOptions.exits))

  @Option(help: "The account; all when left out.")
  var account: String?
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.list(
      as: "device list", "device", columns: ["device", "state", "account", "name"], OperatorPath.devices,
      [("account", account)], reading: DeviceList.init
    ) { ($0.devices.map(Self.entry), $0.next) }
  }

  private static func entry(_ device: DeviceList.Entry) -> ListEntry {
    ListEntry(members: device.members, rows: [[device.id, device.state, device.account, device.name]])
  }
}

/// Deactivates a device.
struct DeactivateDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate", abstract: "Refuse a device until it is activated again.",
    help: CommandHelp(
      "The device cannot be registered for this account again either, after it was removed.",
      examples: [
        "tap-server device deactivate DEVICE \(OperatorOptions.example)":
          "Refuse the device with this identifier."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(id, isActive: false, "device deactivate") }
}

/// Activates a device.
struct ActivateDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Activate a device again, also one that was removed.",
    help: CommandHelp(
      examples: [
        "tap-server device activate DEVICE \(OperatorOptions.example)":
          "Accept it again."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(id, isActive: true, "device activate") }
}

/// Removes a device.
struct RemoveDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a device with the credentials of its account on it.",
    help: CommandHelp(
      possible,
      examples: [
        "tap-server device remove DEVICE \(OperatorOptions.example)":
          "Remove it with its credentials."
      ],
      exits: OperatorOptions.exits))

  private static let possible = """
    The account and its name stay. With another key of the account, or a token of tap-server user token, the device is \
    registered again. To refuse the device, run tap-server device deactivate before it is removed.
    """

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("device remove")
    try await report.run(done: "removed the device \(id)") { () throws(CommandFailure) in
      try await OperatorClient(options).send(.delete, OperatorPath.device(id.percentEncoded))
      report.remark(Self.possible)
    }
  }
}

extension OperatorOptions {
  fileprivate func change(_ id: String, isActive: Bool, _ operation: String) async throws {
    let path = OperatorPath.device(id.percentEncoded)
    try await send(
      .patch, path, DeviceStateChange(isActive: isActive).json, as: operation,
      done: "\(isActive ? "activated" : "deactivated") the device \(id)")
  }
}
