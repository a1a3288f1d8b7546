internal import DisplayText
internal import Octets

/// Why the file of a simulated device could not be used. The file is unchanged. Every sentence names the file.
public enum StoredDeviceError: Error, Equatable, Sendable {
  /// There is no such file.
  case notFound(path: String)
  /// The file cannot be read, for the reason of the system.
  case notReadable(path: String, reason: String)
  /// The file cannot be written, for the reason of the system.
  case notWritable(path: String, reason: String)
  /// The file is not the memory of a device: the first problem with its place.
  case damaged(path: String, reason: String)
  /// The file has a version that this program does not read.
  case unknownVersion(path: String, found: Int)
  /// Other users can read or write the file, which holds keys.
  case exposed(path: String, mode: Int)
  /// Another process changes the file, for longer than 2 s.
  case busy(path: String)
  /// The device does not offer the change.
  case refused(path: String, DeviceAuthenticationError)
}

extension StoredDeviceError: CustomStringConvertible {
  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .notFound(let path):
      "\(path): there is no device; create it with tap device simulate --device \(path.shellWord)"
    case .notReadable(let path, let reason): "\(path): the device cannot be read: \(reason)"
    case .notWritable(let path, let reason): "\(path): the device cannot be written: \(reason)"
    case .damaged(let path, let reason): "\(path) is not a simulated device: \(reason)"
    case .unknownVersion(let path, let found):
      "\(path): the device has version \(found), and this program reads version \(StoredDevice.version)"
    case .exposed(let path, let mode):
      "\(path) has mode \(String(mode, radix: 8)), so that other users can use the keys: chmod 600 \(path.shellWord)"
    case .busy(let path): "\(path): another process changes the device; try again"
    case .refused(let path, .passcodeNotSet): "\(path): the device has no passcode; set one first"
    case .refused(let path, let error): "\(path): \(error)"
    }
  }
}

extension StoredDeviceError {
  /// The error as the ports of the device report it.
  var portError: DeviceAuthenticationError {
    switch self {
    case .busy: .busy(description)
    case .refused(_, let error): error
    case .notFound, .notReadable, .notWritable, .damaged, .unknownVersion, .exposed: .unavailable(reason: description)
    }
  }
}
