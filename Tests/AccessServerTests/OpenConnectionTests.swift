@testable import AccessServer
import NIOCore
import NIOEmbedded
@testable import ServerShell
import Testing

@Suite("Open connections")
struct OpenConnectionTests {
  /// Connects a client of an address to a server with these connections.
  private func connected(_ connections: OpenConnections, from address: String = "192.0.2.1") throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ConnectionWatch(connections))
    channel.connect(to: try SocketAddress(ipAddress: address, port: 1), promise: nil)
    return channel
  }

  @Test func `the end closes the connections that are open, and those that come after it`() throws {
    let connections = OpenConnections(ConnectionLimits())
    let before = try connected(connections)
    #expect(before.isActive)
    connections.end()
    #expect(!before.isActive)
    #expect(try !connected(connections).isActive)
  }

  @Test func `an address has as many connections as the limit, and another one after one of them is closed`() throws {
    var limits = ConnectionLimits()
    limits.perAddress = 2
    let connections = OpenConnections(limits)
    let (first, second) = (try connected(connections), try connected(connections))
    #expect(first.isActive && second.isActive)
    #expect(try !connected(connections).isActive)
    #expect(try connected(connections, from: "192.0.2.2").isActive)
    _ = try first.finish(acceptAlreadyClosed: true)
    #expect(try connected(connections).isActive)
  }
}
