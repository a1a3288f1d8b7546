internal import Glibc

/// The address of a Unix socket.
package struct UnixSocketAddress {
  /// The longest path, in bytes.
  package static let maximumPathCount = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private var address = sockaddr_un()

  /// Returns nil when the path has not 1 to `maximumPathCount` bytes, or a zero.
  package init?(_ path: String) {
    let bytes = Array(path.utf8)
    guard (1...Self.maximumPathCount).contains(bytes.count), !bytes.contains(0) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    // The tuple is the C array; the bytes and the zero behind them fit.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Returns a new stream socket.
  package static func socket() throws(SystemError) -> Descriptor { try socket(SOCK_STREAM) }

  private static func socket(_ type: __socket_type) throws(SystemError) -> Descriptor {
    let number = Glibc.socket(AF_UNIX, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw SystemError() }
    return Descriptor(owning: number)
  }

  /// Gives a socket this address.
  package func bind(_ socket: borrowing Descriptor) throws(SystemError) {
    guard binds(socket.number, to: address) else { throw SystemError() }
  }

  /// Returns a stream socket that is connected to this address.
  package func connected() throws(SystemError) -> Descriptor { try connected(SOCK_STREAM) }

  /// Sends one datagram to the socket of this address. Blocks while the queue of that socket is full.
  package func send(_ bytes: [UInt8]) throws(SystemError) { try connected(SOCK_DGRAM).write(bytes) }

  private func connected(_ type: __socket_type) throws(SystemError) -> Descriptor {
    let socket = try Self.socket(type)
    let code = unsafe withUnsafePointer(to: address) { pointer in
      // The family in the first field names the structure, whose size is passed.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else { throw SystemError() }
    return socket
  }
}

/// Binds a socket to an address of any family.
///
/// - Returns: Whether the address was free and the socket is bound.
package func binds<Address>(_ socket: Int32, to address: Address) -> Bool {
  unsafe withUnsafePointer(to: address) { pointer in
    // The family in the first field says which address structure it is; the size is that structure's.
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
    }
  }
}
