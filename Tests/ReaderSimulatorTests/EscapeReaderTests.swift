import Foundation
import Glibc
import ISO7816
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// A driver that is connected to a reader's socket.
final class EscapeDriver {
  private let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

  init?(_ path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) == 0 }
    }
    if !isConnected { return nil }
  }

  deinit { close(connection) }

  func send(_ hex: String) throws {
    let octets = try [UInt8](hex: hex)
    _ = write(connection, octets, octets.count)
  }

  /// One response without its two length bytes; nil when the reader closed the connection or is silent for ten seconds.
  func receive() -> String? {
    guard let head = receive(2) else { return nil }
    return receive(Int(head[0]) << 8 | Int(head[1]))?.hex
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var octets: [UInt8] = []
    while octets.count < count {
      var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      var room = [UInt8](repeating: 0, count: count - octets.count)
      guard poll(&entry, 1, 10_000) > 0 else { return nil }
      let got = read(connection, &room, room.count)
      guard got > 0 else { return nil }
      octets += room.prefix(got)
    }
    return octets
  }
}

extension RealTimeTests {
  /// Readers with their sockets, without pcscd.
  struct EscapeReaderTests {
    /// GetFirmwareVersion, and a search for FeliCa cards, which are never found.
    static let (version, search) = ("0007FF00000002D402", "0009FF00000004D44A0101")

    private static func withReader(
      driverTimeout: Duration? = nil, timing: FieldTiming = FieldTiming(), _ body: (EscapeReader) throws -> Void
    ) throws {
      var directory = Array("\(FileManager.default.temporaryDirectory.path)/escape-XXXXXX".utf8CString)
      try #require(mkdtemp(&directory) != nil)
      let path = String(decoding: directory.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      defer { rmdir(path) }
      let reader = try EscapeReader(.chip, in: path, driverTimeout: driverTimeout, timing: timing)
      let thread = serving(reader, ChannelContract.responder())
      defer { #expect(access("\(path)/chip0", F_OK) != 0) }
      defer {
        reader.stop()
        #expect(throws: Never.self) { try thread.join() }
      }
      try body(reader)
    }

    @Test func `a second driver replaces the first`() throws {
      try Self.withReader { reader in
        let first = try #require(EscapeDriver(reader.paths[0]))
        try first.send(Self.version)
        #expect(first.receive() == "D503320106079000")
        // An unanswered command and a partial one.
        try first.send(Self.search + "0007FF00")
        let second = try #require(EscapeDriver(reader.paths[0]))
        #expect(first.receive() == nil)
        try second.send(Self.version)
        #expect(second.receive() == "D503320106079000")
        #expect(linkError { () throws(LinkError) in try reader.run() }?.code == .busy)
      }
    }

    @Test func `a search ends at the timeout of the driver or of the reader`() throws {
      try Self.withReader(driverTimeout: .milliseconds(50)) { reader in
        let driver = try #require(EscapeDriver(reader.paths[0]))
        try driver.send(Self.search)
        #expect(driver.receive() == "")
      }
      try Self.withReader(timing: FieldTiming(waitingTimeDivisor: 100)) { reader in
        let driver = try #require(EscapeDriver(reader.paths[0]))
        // The timeout is 5 s, divided by 100.
        try driver.send("0005FF00410100" + Self.search)
        #expect(driver.receive() == "9000")
        #expect(driver.receive() == "6301")
      }
    }
  }
}
