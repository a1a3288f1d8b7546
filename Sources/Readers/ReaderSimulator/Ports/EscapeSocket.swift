internal import Glibc
internal import Links

/// A Unix socket at which one driver at a time finds its reader. The path goes with its owner.
struct EscapeSocket: ~Copyable, Sendable {
  /// Readable when a driver calls.
  let listener: Int32
  /// The driver that is connected, or -1.
  private(set) var connection: Int32 = -1
  private let path: String
  /// Which file the path was when it was bound.
  private let identity: [UInt64]?

  /// Listens.
  ///
  /// - Parameter path: 1 to 107 octets; what is there already is replaced.
  /// - Throws: `LinkError.Code.transmissionFailed` when the path cannot be made.
  init(at path: String) throws(LinkError) {
    listener = try listeningSocket(at: path, orFailWith: .transmissionFailed)
    self.path = path
    identity = Self.identity(of: path)
  }

  deinit {
    if connection >= 0 { Glibc.close(connection) }
    // A reader that was plugged in at the same path meanwhile keeps it.
    if Self.identity(of: path) == identity { _ = unsafe unlink(path) }
    Glibc.close(listener)
  }

  /// Device and inode of a file; nil when there is none.
  private static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    // The path is only read; the call fills the structure of this frame.
    guard unsafe stat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// Takes a driver that calls; the one before is hung up on.
  ///
  /// - Returns: Whether there was one. Without descriptors it goes on calling, and the next look comes a little later.
  mutating func accept() -> Bool {
    // No address is asked for.
    let caller = Glibc.accept(listener, nil, nil)
    guard caller >= 0 else {
      pause(for: .milliseconds(10))
      return false
    }
    _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
    if connection >= 0 { Glibc.close(connection) }
    connection = caller
    return true
  }

  /// What the driver sent, or nil when it has hung up.
  mutating func receive() -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 4096)
    // The kernel writes at most as many octets as the array has.
    let count = unsafe recv(connection, &room, room.count, 0)
    if count > 0 { return Array(room.prefix(count)) }
    hangUp()
    return nil
  }

  /// Sends an answer, which is shorter than what a socket holds. A driver that has left does not get it, and one that
  /// reads none of its answers is hung up on.
  mutating func send(_ octets: [UInt8]) {
    guard connection >= 0 else { return }
    // Octets of an array for the time of the call.
    let sent = unsafe Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    if sent != octets.count { hangUp() }
  }

  private mutating func hangUp() {
    Glibc.close(connection)
    connection = -1
  }
}
