import ArgumentParser
import LinuxDevice
import Octets
import ProcessGuard
import ProgramSupport

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .restricted)
    ServeCommand.restrictIfAsked()
    ProcessProtection.run { await TapDevice.runProgram() }
  }
}

/// The program that holds what needs the privileges of root: the sensor, the passcode, the lock and the TPM of a Linux
/// machine. It serves the ports of `DeviceAuthentication` over a socket that only its user can open.
struct TapDevice: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-device", abstract: "Serve the device of this machine to the programs of one user.",
    help: CommandHelp(
      examples: [
        "tap-device serve --user alice": "Serve the device of this machine to the programs of one user, as root.",
        "tap device check": "List what this machine can do and what is missing, as that user.",
      ],
      exits: [.done: "done, or ended by a signal", .error: "not done"],
      related: ["tap", "tap-wallet"]),
    version: ProjectVersion.number,
    subcommands: [ServeCommand.self, PasswordHookCommand.self, PAMServiceCommand.self])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "
}

/// Prints the service file of PAM.
struct PAMServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam-service", abstract: "Print the service file of the passcode check, /etc/pam.d/tap-device.",
    help: CommandHelp(
      examples: [
        "tap-device pam-service > /etc/pam.d/tap-device": "Install the service file, as root."
      ],
      exits: [
        .done: "printed"
      ]))

  func run() { Console.write(String(PasscodeSettings.serviceFile.dropLast())) }
}
