internal import DeviceAuthentication
internal import Glibc

/// The address of the socket of a device.
struct SocketAddress {
  private var address = sockaddr_un()

  /// - Parameter path: 1 to 107 octets.
  init(_ path: String) throws(DeviceAuthenticationError) {
    let octets = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard (1..<room).contains(octets.count), !octets.contains(0) else {
      throw .unavailable(
        reason: "the path of a socket has 1 to \(room - 1) octets, not \(octets.count): \(path)")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    // The tuple is the C array; the octets and the zero behind them fit.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: octets) }
  }

  /// Calls `bind` or `connect` with this address.
  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    unsafe withUnsafePointer(to: address) { pointer in
      // The family in the first field names the structure, whose size is passed.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns a new stream socket.
  static func socket() throws(DeviceAuthenticationError) -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .unavailable(reason: "no socket: \(systemErrorText())") }
    return descriptor
  }

  /// Connects to this address. Returns the connected socket, or nil with `errno` set.
  func connected() throws(DeviceAuthenticationError) -> Int32? {
    let descriptor = try Self.socket()
    guard unsafe with({ unsafe connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      close(descriptor)
      errno = number
      return nil
    }
    return descriptor
  }
}

/// The system's text for the last error of this thread, such as `No such file or directory`.
func systemErrorText(_ number: Int32 = errno) -> String {
  // glibc keeps the text per thread; it is copied before the next call.
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}
