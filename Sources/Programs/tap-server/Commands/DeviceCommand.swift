import AccessMessages
import ArgumentParser
import FIDOUAF
import JSON
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
    discussion: """
      The columns are identifier, state, account and name. At a terminal they have names, elsewhere a tab between them.
      The state is active, inactive, or removed: deactivated and then removed.
      """)

  @Option(help: "The account; all when left out.")
  var account: String?
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("device list")
    try await report.run { () throws(CommandFailure) in
      let client = try OperatorClient(options)
      var next: String?
      repeat {
        let page = try await Self.page(client, account, after: next)
        report.page("device", page.devices.map(Self.entry), columns: ["device", "state", "account", "name"])
        next = page.next
      } while next != nil
    }
  }

  /// A page of the devices of an account or of all.
  static func page(
    _ client: OperatorClient, _ account: String?, after id: String? = nil
  ) async throws(CommandFailure) -> DeviceList {
    let parameters = [("account", account), ("after", id)].compactMap { name, value in
      value.map { "\(name)=\(OperatorClient.escaped($0))" }
    }
    let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
    return try await client.send(.get, OperatorPath.devices + query, nil, DeviceList.init)
  }

  private static func entry(_ device: DeviceList.Entry) -> ListEntry {
    ListEntry(
      members: [
        ("id", JSONValue(device.id)), ("deviceId", JSONValue(device.deviceID)), ("account", JSONValue(device.account)),
        ("name", JSONValue(device.name)), ("state", JSONValue(device.state)), ("push", JSONValue(device.receivesPush)),
        ("createdAt", JSONValue(device.createdAt)),
      ], rows: [[device.id, "\(device.state)", device.account, device.name]])
  }
}

/// Deactivates a device.
struct DeactivateDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate", abstract: "Refuse a device until it is activated again.",
    discussion: "The device cannot be registered for this account again either, after it was removed.")

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(id, isActive: false, "device deactivate") }
}

/// Activates a device.
struct ActivateDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Activate a device again, also one that was removed.")

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(id, isActive: true, "device activate") }
}

/// Removes a device.
struct RemoveDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a device with the credentials of its account on it.")

  @Argument(help: "The identifier that `device list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.send(.delete, OperatorPath.device(OperatorClient.escaped(id)), as: "device remove")
  }
}

extension OperatorOptions {
  fileprivate func change(_ id: String, isActive: Bool, _ operation: String) async throws {
    let path = OperatorPath.device(OperatorClient.escaped(id))
    try await send(.patch, path, DeviceStateChange(isActive: isActive).json, as: operation)
  }
}
