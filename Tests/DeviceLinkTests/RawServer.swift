import DeviceLink
import Foundation
import Glibc
import TestSupport

/// A server that answers every connection with bytes of its own, then closes it.
final class RawServer: Sendable {
  private let listener: Int32

  init(_ path: String, _ body: @escaping @Sendable (Int32) -> Void) throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 8) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    self.listener = listener
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // The owner has shut the listener down. Only this thread closes it: another socket would get its number, and this
          // thread would take the connections of that one.
          guard errno == EINVAL else { continue }
          close(listener)
          return
        }
        body(connection)
        close(connection)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
