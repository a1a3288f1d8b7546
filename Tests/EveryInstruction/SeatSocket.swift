import Glibc

/// Sockets that keep the bounds of messages. The card's side connects, since its process is started anew for each walk and
/// the walker is there all the time.
enum SeatSocket {
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
  }

  /// Waits for the card's side at a path.
  static func listen(at path: String) throws(Failure) -> Int32 {
    let socket = try socket()
    guard withAddress(path, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 1) == 0 else { throw Failure("bind") }
    return socket
  }

  /// Connects the card's side.
  static func connect(to path: String) throws(Failure) -> Int32 {
    let socket = try socket()
    guard withAddress(path, { Glibc.connect(socket, $0, $1) }) == 0 else { throw Failure("connect") }
    return socket
  }

  private static func socket() throws(Failure) -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw Failure("socket") }
    return socket
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
