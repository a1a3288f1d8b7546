import Foundation
import Synchronization

/// A relay in front of a PostgreSQL server that counts round trips, and can make each one longer, like a database that is far
/// away. A connection has one exchange under way at a time. The tests and the benchmark `access` share this file.
struct DatabaseRelay {
  struct Failure: Error {
    let call: String
    let code = errno
  }

  private final class Trips: Sendable {
    let count = Atomic(0)
  }

  /// The directory of its socket.
  let directory: String
  private let trips = Trips()

  /// The round trips of all connections so far: how often a client sent something after a response.
  var roundTrips: Int { trips.count.load(ordering: .sequentiallyConsistent) }

  /// Relays connections until the process ends.
  ///
  /// - Parameters:
  ///   - server: The directory of the server's socket.
  ///   - directory: An existing directory for the relay's socket.
  ///   - delay: By how much a round trip takes longer, in microseconds.
  init(to server: String, in directory: String, delay: UInt32 = 0) throws {
    self.directory = directory
    let listener = try Self.socket(at: directory, bind, "bind")
    guard listen(listener, 64) == 0 else { throw Failure(call: "listen") }
    Thread.detachNewThread { [trips] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let target = try? Self.socket(at: server, connect, "connect") else {
          close(client)
          continue
        }
        Self.relay(client, target, delay, trips)
      }
    }
  }

  private static func relay(_ client: Int32, _ server: Int32, _ delay: UInt32, _ trips: Trips) {
    let hasResponded = Responded()
    Thread.detachNewThread {
      copy(from: client, to: server) {
        guard hasResponded.exchange(false) else { return }
        trips.count.add(1, ordering: .sequentiallyConsistent)
        if delay > 0 { usleep(delay) }
      }
    }
    Thread.detachNewThread { copy(from: server, to: client) { _ = hasResponded.exchange(true) } }
  }

  /// Whether the server sent the last bytes of a connection.
  private final class Responded: Sendable {
    private let value = Atomic(true)

    func exchange(_ new: Bool) -> Bool { value.exchange(new, ordering: .sequentiallyConsistent) }
  }

  private static func copy(from source: Int32, to target: Int32, _ note: () -> Void) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(source, &buffer, buffer.count), count > 0 {
      note()
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
