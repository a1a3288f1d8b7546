import Foundation
import POSIX
import Testing

@Suite("Wake-ups")
struct WakeSignalTests {
  @Test func `a raised signal ends each wait until it is cleared`() throws {
    let (signal, other) = (try WakeSignal(), try WakeSignal())
    #expect(signal.wait(for: other.descriptor, POLLIN, timeout: .zero) == .timedOut)
    signal.raise()
    signal.raise()
    #expect(signal.isRaised)
    #expect(signal.wait(for: other.descriptor, POLLIN, timeout: nil) == .raised)
    #expect(signal.wait(for: other.descriptor, POLLIN, timeout: nil) == .raised)
    signal.clear()
    #expect(!signal.isRaised)
    #expect(signal.wait(for: other.descriptor, POLLIN, timeout: .zero) == .timedOut)
  }

  @Test func `a signal is a readable descriptor to the wait of another one`() throws {
    let (signal, other) = (try WakeSignal(), try WakeSignal())
    other.raise()
    #expect(signal.wait(for: other.descriptor, POLLIN, timeout: nil) == .ready)
    #expect(signal.wait(for: [other.descriptor, -1], timeout: .zero) == [other.descriptor])
  }

  @Test func `a thread that waits returns when another thread raises the signal`() async throws {
    let (signal, other) = (try WakeSignal(), try WakeSignal())
    async let awakening = blocking { signal.wait(for: other.descriptor, POLLIN, timeout: nil) }
    signal.raise()
    #expect(await awakening == .raised)
  }
}

@Suite("Unix sockets")
struct UnixSocketAddressTests {
  @Test(arguments: [("", false), ("a\0b", false), (String(repeating: "a", count: 107), true)])
  func `a path has 1 to 107 bytes and no zero`(path: String, isValid: Bool) {
    #expect((UnixSocketAddress(path) != nil) == isValid)
    #expect(UnixSocketAddress(String(repeating: "a", count: 108)) == nil)
  }

  @Test func `a socket connects to the address of a listener`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "socket-\(UUID().uuidString)").path
    defer { unlink(path) }
    let address = try #require(UnixSocketAddress(path))
    #expect(throws: SystemError(ENOENT)) { _ = try address.connected() }
    let listener = try UnixSocketAddress.socket()
    try address.bind(listener)
    #expect(listen(listener.number, 1) == 0)
    _ = try address.connected()
  }
}
