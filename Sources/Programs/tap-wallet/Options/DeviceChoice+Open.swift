import DeviceAuthentication
import DeviceLink
import Foundation
import MobileAuthentication
import ProgramSupport

extension DeviceChoice {
  /// The help text of the option.
  static let help = "The device: \(forms) Stored at first use. A file of that name is ./linux."

  /// Opens the device. A new simulated device gets a passcode and one finger.
  ///
  /// - Parameter integrity: The checks of this process before each operation on a real device.
  func open(user: SimulatedUser, integrity: IntegrityGuard) async throws(CommandFailure) -> AuthenticationDevice {
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
      } catch { throw CommandFailure("Device", of: error) }
    }
  }

  /// A machine without a TPM, or without tap-device, has no keys in hardware.
  private static func protection(of client: DeviceLinkClient) async -> DeviceKeyProtection {
    let findings = await DeviceSurvey(client).findings()
    // Keys that are only missing a passcode are in hardware.
    return findings.contains { $0.part == .keys && $0.verdict != .broken } ? .tpm : .software
  }
}
