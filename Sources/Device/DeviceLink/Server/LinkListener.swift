internal import DeviceAuthentication
internal import Glibc
internal import POSIX

/// A socket that listens at a path which only one user can open. It is removed in `deinit`.
struct LinkListener: ~Copyable, Sendable {
  private let socket: Descriptor
  private let path: String
  private let identity: FileStatus.Identity?

  /// - Parameters:
  ///   - path: 1 to 107 bytes. A socket that no process serves is replaced; any other file is left alone.
  ///   - user: The owner of the socket; another one than that of this process needs root.
  /// - Throws: `.busy` when another process serves the path, otherwise `.unavailable`.
  init(at path: String, user: UInt32) throws(DeviceAuthenticationError) {
    let address = try UnixSocketAddress(ofDevice: path)
    try Self.clear(path, address)
    do throws(SystemError) {
      socket = try Self.listeningSocket(path, address, user)
    } catch { throw .unavailable(reason: "cannot serve \(path): \(error)") }
    self.path = path
    identity = Self.status(path)?.identity
  }

  private static func listeningSocket(
    _ path: String, _ address: UnixSocketAddress, _ user: UInt32
  ) throws(SystemError) -> Descriptor {
    let socket = try UnixSocketAddress.socket()
    // The mode before `bind`, so that the socket never exists with another one.
    guard fchmod(socket.number, 0o600) == 0 else { throw SystemError() }
    try address.bind(socket)
    guard unsafe user == geteuid() || lchown(path, user, gid_t.max) == 0, listen(socket.number, 32) == 0 else {
      throw SystemError()
    }
    return socket
  }

  deinit { if let identity, Self.status(path)?.identity == identity { _ = unsafe unlink(path) } }

  var descriptor: Int32 { socket.number }

  /// Removes the socket of a process that has ended.
  private static func clear(_ path: String, _ address: UnixSocketAddress) throws(DeviceAuthenticationError) {
    guard let status = status(path) else { return }
    guard status.kind == .socket else {
      throw .unavailable(reason: "\(path) is a file that is no socket: remove it, or name another path")
    }
    if (try? address.connected()) != nil { throw .busy("another tap-device serves \(path)") }
    // The call only reads the path.
    _ = unsafe unlink(path)
  }

  private static func status(_ path: String) -> FileStatus? { try? FileStatus(of: path, followsLinks: false) }
}

/// The process at the end of a connection, as the kernel knew it when it connected.
struct PeerIdentity: Equatable {
  let process: UInt32
  let user: UInt32

  /// Reads `SO_PEERCRED` (unix(7)). Nil when the socket is not connected.
  init?(of descriptor: Int32) {
    // struct ucred: process, user and group, of 32 bits each.
    var fields: [UInt32] = [0, 0, 0]
    var size = socklen_t(12)
    // The kernel writes at most twelve bytes.
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &fields, &size) == 0, size == 12 else { return nil }
    (process, user) = (fields[0], fields[1])
  }
}
