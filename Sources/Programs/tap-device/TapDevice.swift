import ArgumentParser
import LinuxDevice
import Octets
import ProcessGuard

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .restricted)
    ServeCommand.restrictIfAsked()
    ProcessProtection.run { await TapDevice.main(nil) }
  }
}

/// The program that holds what needs the privileges of root: the sensor, the passcode, the lock and the TPM of a Linux
/// machine. It serves the ports of `DeviceAuthentication` over a socket that only its user can open.
struct TapDevice: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-device", abstract: "Serve the device of this machine to the programs of one user.",
    discussion: "tap device check lists what this machine can do and what is missing.",
    version: ProjectVersion.number,
    subcommands: [ServeCommand.self, PasswordHookCommand.self, PAMServiceCommand.self])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "
}

/// Prints the service file of PAM.
struct PAMServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam-service", abstract: "Print the service file of the passcode check, /etc/pam.d/tap-device.")

  func run() { print(PasscodeSettings.serviceFile, terminator: "") }
}
