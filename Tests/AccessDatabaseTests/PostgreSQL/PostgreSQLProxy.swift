import Foundation
import Synchronization
import TestSupport

/// A relay in front of a PostgreSQL server that counts round trips: how often a client sends something after a response.
final class PostgreSQLProxy: Sendable {
  private static let socketName = ".s.PGSQL.5432"

  /// The directory of its socket.
  let directory: String
  private let scratch: Scratch
  private let listener: Int32
  private let trips = RunCount()

  /// The round trips of all connections so far.
  var roundTrips: Int { trips.value }

  /// Relays connections to the server whose socket is in a directory.
  init(to server: String) throws {
    scratch = try Scratch()
    directory = scratch.directory.path
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let bound = Self.withAddress(directory) { bind(listener, $0, $1) }
    guard bound == 0, listen(listener, 8) == 0 else { throw PostgreSQLServer.Failure(description: "no proxy") }
    Thread.detachNewThread { [listener, self] in
      while case let client = accept(listener, nil, nil), client >= 0 { relay(client, server) }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func relay(_ client: Int32, _ directory: String) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.withAddress(directory, { connect(server, $0, $1) }) == 0 else { return }
    // Whether the server sent the last bytes.
    let hasResponded = SharedFlag()
    Thread.detachNewThread { [trips] in
      Self.copy(from: client, to: server) {
        if hasResponded.exchange(false) { _ = trips.next() }
      }
    }
    Thread.detachNewThread { Self.copy(from: server, to: client) { _ = hasResponded.exchange(true) } }
  }

  private final class SharedFlag: Sendable {
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

  private static func withAddress(
    _ directory: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(directory)/\(socketName)".utf8)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
