import DeviceAuthentication
import DeviceFile
import DeviceLink
import Foundation
import MobileAuthentication

/// The device of a wallet.
enum WalletDevice {
  /// A simulated device, whose state is in a file.
  case simulated(file: String)
  /// The device of this machine, which `tap-device` serves on a socket.
  case linux(socket: String)

  /// The help text of the option.
  static let help = """
    The device: the file of a simulated device (DIR/device when left out), or linux or linux:SOCKET for the device of \
    this machine, which tap-device serves. Stored at first use. A file of that name is ./linux.
    """
  private static let linuxName = "linux"

  /// Reads the value of the option; nil is the file in the wallet's folder.
  init(_ text: String?, in directory: String) {
    let parts = text?.split(separator: ":", maxSplits: 1) ?? []
    switch (text, parts.count) {
    case (Self.linuxName, _): self = .linux(socket: DeviceLinkClient.defaultSocket(user: getuid()))
    case (_, 2) where parts[0] == Self.linuxName: self = .linux(socket: String(parts[1]))
    default: self = .simulated(file: text ?? directory + "/device")
    }
  }

  /// Opens the device. A new simulated device gets a passcode and one finger.
  ///
  /// - Parameter integrity: The checks of this process before each operation on a real device.
  func open(user: SimulatedUser, integrity: ProcessIntegrity) async throws(CommandFailure) -> AuthenticationDevice {
    switch self {
    case .linux(let socket):
      let client = DeviceLinkClient(socket: socket)
      return AuthenticationDevice(
        ports: client.ports, protection: await Self.protection(of: client), integrity: integrity)
    case .simulated(let file):
      do throws(StoredDeviceError) {
        let isNew = !FileManager.default.fileExists(atPath: file)
        let device = try StoredDevice(path: file, user: user, signing: P256Signing())
        if isNew { try device.apply([.setPasscode, .enrolBiometric]) }
        let clocks = AuthenticatorClocks(
          wall: device.wallClock, monotonic: device.monotonicClock(), boot: AuthenticatorClocks.currentBoot())
        return AuthenticationDevice(ports: device.ports, protection: .simulated, clocks: clocks)
      } catch { throw CommandFailure("Device", "\(error)") }
    }
  }

  /// A machine without a TPM, or without tap-device, has no keys in hardware.
  private static func protection(of client: DeviceLinkClient) async -> DeviceKeyProtection {
    let findings = await DeviceSurvey(client).findings()
    // Keys that are only missing a passcode are in hardware.
    return findings.contains { $0.part == .keys && $0.verdict != .broken } ? .tpm : .software
  }
}
