import Foundation

/// A relay in front of PostgreSQL that holds what a client sends for some time: a database that is as far away. A connection
/// has one exchange under way at a time, so that each round trip takes that time longer.
struct DelayingRelay {
  struct Failure: Error {
    let call: String
    let code = errno
  }

  /// The directory of its socket.
  let directory: String

  /// Relays connections until the process ends.
  ///
  /// - Parameters:
  ///   - server: The directory of the server's socket.
  ///   - directory: An existing directory for the relay's socket.
  ///   - delay: By how much a round trip takes longer, in microseconds.
  init(to server: String, in directory: String, delay: UInt32) throws {
    self.directory = directory
    let listener = try Self.socket(at: directory, bind, "bind")
    guard listen(listener, 64) == 0 else { throw Failure(call: "listen") }
    Thread.detachNewThread {
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let target = try? Self.socket(at: server, connect, "connect") else {
          close(client)
          continue
        }
        Thread.detachNewThread { Self.copy(from: client, to: target, after: delay) }
        Thread.detachNewThread { Self.copy(from: target, to: client, after: 0) }
      }
    }
  }

  private static func copy(from source: Int32, to target: Int32, after delay: UInt32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(source, &buffer, buffer.count), count > 0 {
      if delay > 0 { usleep(delay) }
      var rest = buffer.prefix(count)
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        guard written > 0 else { break }
        rest = rest.dropFirst(written)
      }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }

  private static func socket(
    at directory: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ name: String
  ) throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(directory)/.s.PGSQL.5432".utf8)) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard descriptor >= 0, status == 0 else { throw Failure(call: name) }
    return descriptor
  }
}
