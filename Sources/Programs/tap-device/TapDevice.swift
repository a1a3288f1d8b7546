import ArgumentParser

/// The program that holds what needs the privileges of root: the sensor, the passcode, the lock and the TPM of a Linux
/// machine. It serves the ports of `DeviceAuthentication` over a socket that only its user can open.
@main
struct TapDevice: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-device", abstract: "Serve the device of this machine to the programs of one user.")
}
