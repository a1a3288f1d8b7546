import ArgumentParser
import ProgramSupport

/// The devices that verify the cardholder.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "The device that verifies the cardholder: its lock, its biometrics and its keys.",
    help: CommandHelp(
      related: ["tap-device", "tap_wallet"]),
    subcommands: [
      DeviceCheckCommand.self, DeviceEnrolCommand.self, DeviceKeysCommand.self, DeviceSimulateCommand.self,
    ])
}
