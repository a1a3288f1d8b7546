import ArgumentParser
import DeviceAuthentication
import DeviceLink
import Glibc
import Octets
import ProgramSupport

/// The keys of the device of this machine.
struct DeviceKeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "The keys of the device of this machine, also those that a removed wallet left behind.",
    help: CommandHelp(
      """
      A user has at most 256 keys, and at most 16 keys with a counter. tap wallet status shows the key of a \
      wallet.
      """),
    subcommands: [DeviceKeysListCommand.self, DeviceKeysDeleteCommand.self])

  /// How the commands of the group end.
  static let exits: CommandHelp.Exits = [
    .done: "done",
    .notRight: "refused",
    .error: "the device does not work",
  ]
}

/// The device of this machine.
struct DeviceSocketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The socket of tap-device; /run/tap-device/UID.sock when left out.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Option(help: "How the lines are printed.")
  var format = OutputFormat.text

  var keys: any ProtectedKeyStore {
    DeviceLinkClient(socket: socket ?? DeviceLinkClient.defaultSocket(user: getuid())).ports.keys
  }
}

/// Lists the keys.
struct DeviceKeysListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys of this user, a line each.",
    help: CommandHelp(
      examples: [
        "tap device keys list": "List the keys of this user."
      ],
      exits: DeviceKeysCommand.exits))

  @OptionGroup var device: DeviceSocketOptions

  func run() async throws {
    try await Console.reportingErrors(as: device.format) {
      let keys = try await device.keys.list()
      for key in keys {
        let (name, kind) = (key.identifier.octets.hex, key.kind.map { "\($0)" })
        try device.format.print(
          "\(name): \(kind ?? "damaged")\(key.isCounting ? ", with a counter" : "")",
          json: ["key": name, "kind": kind, "hasCounter": key.isCounting])
      }
      if keys.isEmpty { Console.note("The device has no key of this user.") }
    }
  }
}

/// Deletes keys.
struct DeviceKeysDeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete keys and their counters. A wallet whose key is deleted loses its cards.",
    help: CommandHelp(
      examples: [
        "tap device keys delete 7c1e3f5a": "Delete a key that tap device keys list shows."
      ],
      exits: DeviceKeysCommand.exits))

  @OptionGroup var device: DeviceSocketOptions
  @Argument(help: "The keys, as tap device keys list shows them.")
  var keys: [String]

  func run() async throws {
    try await Console.reportingErrors(as: device.format) {
      let store = device.keys
      let present = Set(try await store.list().map(\.identifier))
      let chosen = try keys.map { name in
        guard let key = (try? [UInt8](hex: name)).flatMap({ KeyIdentifier($0) }), present.contains(key) else {
          throw InputError(
            description: "\(name): the device has no such key: tap device keys list shows them", code: .device)
        }
        return key
      }
      for key in chosen {
        try await store.delete(key)
        try device.format.print("\(key.octets.hex): deleted", json: ["deleted": key.octets.hex])
      }
    }
  }
}
