import DeviceAuthentication
import Foundation
import Octets
import TestSupport
import Testing

/// A directory of one test, removed at its end.
final class DeviceDirectory {
  let directory = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: directory) }

  var path: String { directory.appending(path: "device").path }

  var contents: Data {
    get throws { try Data(contentsOf: URL(filePath: path)) }
  }

  func write(_ contents: Data) throws { try contents.write(to: URL(filePath: path)) }

  /// A phone with a passcode and a finger.
  func phone(
    user: SimulatedUser = .approve, clock: any WallClock = ManualWallClock()
  ) throws -> StoredDevice {
    let device = try StoredDevice(path: path, user: user, clock: clock)
    try device.apply([.setPasscode, .enrolBiometric])
    return device
  }
}

/// Returns the error of a call on a file.
func fileError<Value>(_ body: () throws(StoredDeviceError) -> Value) -> StoredDeviceError? {
  do throws(StoredDeviceError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

extension StoredDeviceError {
  /// The name of the case.
  var kind: String { "\(Mirror(reflecting: self).children.first?.label ?? "")" }
}
