import ContactlessPayment
import DeviceAuthentication
import DeviceFile
import DeviceLink
import Foundation
import ProgramSupport

extension DeviceChoice {
  /// The help text of the option.
  static let help = "The device on which the wallet was set up: \(forms) A file of that name is ./linux."

  /// Whether there is a device. That of this machine reports by itself what it lacks.
  var exists: Bool {
    switch self {
    case .simulated(let file): FileManager.default.fileExists(atPath: file)
    case .linux: true
    }
  }

  /// What decides whether this process may pay: on a real device the checks of its integrity.
  func environment(_ integrity: IntegrityGuard) -> any PaymentEnvironment {
    switch self {
    case .simulated: OpenEnvironment()
    case .linux: IntegrityEnvironment(integrity)
    }
  }

  /// Opens the device.
  ///
  /// - Parameters:
  ///   - isNew: Whether the wallet was not set up yet. It gets a new simulated device with a passcode and an enrolled
  ///     finger, unless there is one.
  ///   - user: What the person at a simulated device does.
  func open(isNew: Bool, user: SimulatedUser = .approve) throws -> DevicePorts {
    switch self {
    case .linux(let socket): return DeviceLinkClient(socket: socket).ports
    case .simulated(let file):
      guard exists || isNew else {
        throw InputError(
          description: "\(file): there is no device, and the wallet was set up on one: name its file with --device",
          code: .device)
      }
      let isMade = !exists
      let device = try StoredDevice(path: file, user: user)
      if isMade { try device.apply([.setPasscode, .enrolBiometric]) }
      return device.ports
    }
  }
}
