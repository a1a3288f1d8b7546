import Glibc
import Links
import POSIX

/// A Unix socket at which one driver at a time finds its reader. Its owner removes the path with it.
struct EscapeSocket: ~Copyable, Sendable {
  /// Readable when a driver connects.
  let listener: Descriptor
  /// The driver that is connected, or -1.
  private(set) var connection: Int32 = -1
  private let path: String
  /// Device and inode of the path when it was bound.
  private let identity: FileStatus.Identity?

  /// Listens.
  ///
  /// - Parameter path: 1 to 107 bytes. A file at this path is replaced.
  /// - Throws: `LinkError.Code.transmissionFailed` when the socket cannot be created.
  init(at path: String) throws(LinkError) {
    listener = try listeningSocket(at: path, orFailWith: .transmissionFailed)
    self.path = path
    identity = try? FileStatus(of: path).identity
  }

  deinit {
    if connection >= 0 { Glibc.close(connection) }
    // A second reader may have taken the same path in the meantime: its file stays.
    if let identity, (try? FileStatus(of: path))?.identity == identity { _ = unsafe unlink(path) }
  }

  /// Accepts a driver. The connection before it is closed.
  ///
  /// - Returns: Whether a driver connected. Without free descriptors this fails after 10 ms, and the driver stays in
  ///   the queue for the next attempt.
  mutating func accept() -> Bool {
    // No address is asked for.
    let caller = Glibc.accept(listener.number, nil, nil)
    guard caller >= 0 else {
      pause(for: .milliseconds(10))
      return false
    }
    _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
    if connection >= 0 { Glibc.close(connection) }
    connection = caller
    return true
  }

  /// Reads what the driver sent.
  ///
  /// - Returns: nil when the driver has closed the connection.
  mutating func receive() -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 4096)
    // The kernel writes at most as many bytes as the array has.
    let count = unsafe recv(connection, &room, room.count, 0)
    if count > 0 { return Array(room.prefix(count)) }
    disconnect()
    return nil
  }

  /// Sends a response, which is shorter than the buffer of a socket. The connection is closed when the driver has left,
  /// or when it does not read its responses and the buffer is full.
  mutating func send(_ octets: [UInt8]) {
    guard connection >= 0 else { return }
    // The array's bytes are valid during the call.
    let sent = unsafe Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    if sent != octets.count { disconnect() }
  }

  private mutating func disconnect() {
    Glibc.close(connection)
    connection = -1
  }
}
