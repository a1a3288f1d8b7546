import Foundation
import Glibc
import Synchronization
import Testing

/// A server that answers every first message with a response of HTTP without TLS.
final class PlainServer: Sendable {
  private let listener: Int32
  private let octets = Mutex<[UInt8]>([])
  let port: UInt16

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    try #require(isBound)
    Thread.detachNewThread { [self] in serve() }
  }

  deinit { close(listener) }

  var url: String { "https://localhost:\(port)/" }
  var received: [UInt8] { octets.withLock { $0 } }

  private func serve() {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(connection, &buffer, buffer.count, 0)
    octets.withLock { $0 += buffer.prefix(max(count, 0)) }
    let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    _ = send(connection, response, response.count, 0)
    close(connection)
  }
}
