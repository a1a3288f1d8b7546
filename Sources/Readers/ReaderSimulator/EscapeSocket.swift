internal import Glibc
internal import Links

/// A Unix socket at which one driver at a time finds its reader. The path goes with its owner.
struct EscapeSocket: ~Copyable, Sendable {
  private let listener: Int32
  private let path: String
  private var connection: Int32 = -1

  /// Listens.
  ///
  /// - Parameter path: 1 to 107 octets; what is there already is replaced.
  /// - Throws: `LinkError.Code.transmissionFailed` when the path cannot be made.
  init(at path: String) throws(LinkError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard (1..<room).contains(octets.count) else {
      throw LinkError(.transmissionFailed, "the path of a Unix socket has 1 to \(room - 1) octets, not \(octets.count)")
    }
    // The tuple is the C array; the octets and the zero behind them fit.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: octets) }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // A path of the caller's, which the call only reads.
    _ = unsafe unlink(path)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    // The address is lent for the call, in the form that every family shares.
    let isBound = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) == 0 }
    }
    guard listener >= 0, isBound, listen(listener, 4) == 0 else {
      let reason = systemErrorText(errno)
      if listener >= 0 { Glibc.close(listener) }
      throw LinkError(.transmissionFailed, "no simulated reader can listen at \(path): \(reason)")
    }
    self.listener = listener
    self.path = path
  }

  deinit {
    if connection >= 0 { Glibc.close(connection) }
    Glibc.close(listener)
    // The path that was bound, which the call only reads.
    _ = unsafe unlink(path)
  }

  /// What to poll: a driver that calls, and the one that is connected or -1.
  var descriptors: [Int32] { [listener, connection] }

  /// Takes a driver that calls; the one before is hung up on.
  mutating func accept() {
    // No address is asked for.
    let caller = Glibc.accept(listener, nil, nil)
    guard caller >= 0 else { return }
    _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
    if connection >= 0 { Glibc.close(connection) }
    connection = caller
  }

  /// What the driver sent, or nil when it has hung up.
  mutating func receive() -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 4096)
    // The kernel writes at most as many octets as the array has.
    let count = unsafe recv(connection, &room, room.count, 0)
    if count > 0 { return Array(room.prefix(count)) }
    Glibc.close(connection)
    connection = -1
    return nil
  }

  /// Sends an answer, which is shorter than what a socket holds. A driver that has left does not get it.
  func send(_ octets: [UInt8]) {
    // Octets of an array for the time of the call.
    _ = unsafe Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
  }
}
