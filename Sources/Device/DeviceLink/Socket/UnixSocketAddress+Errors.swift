internal import DeviceAuthentication
internal import POSIX

extension UnixSocketAddress {
  /// The address of the socket of a device.
  init(ofDevice path: String) throws(DeviceAuthenticationError) {
    guard let address = UnixSocketAddress(path) else {
      throw .unavailable(
        reason: "the path of a socket has 1 to \(Self.maximumPathCount) bytes, not \(path.utf8.count): \(path)")
    }
    self = address
  }
}

extension WakeSignal {
  /// Creates the signal of a request or of a server.
  static func ofLink() throws(DeviceAuthenticationError) -> WakeSignal {
    do throws(SystemError) {
      return try WakeSignal()
    } catch { throw .unavailable(reason: "no descriptor: \(error)") }
  }
}
