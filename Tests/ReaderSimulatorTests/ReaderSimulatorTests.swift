import Foundation
import Glibc
import ISO7816
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// A host that has opened a serial port.
final class SerialHost {
  private let port: Int32

  init?(_ path: String) {
    port = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    if port < 0 { return nil }
  }

  deinit { close(port) }

  func send(_ octets: [UInt8]) { _ = write(port, octets, octets.count) }

  /// Reads a number of bytes, or fewer when the port is closed or silent for ten seconds.
  func receive(_ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    while octets.count < count {
      var entry = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 10_000) > 0 else { break }
      var room = [UInt8](repeating: 0, count: count - octets.count)
      let got = read(port, &room, room.count)
      guard got > 0 else { break }
      octets += room.prefix(got)
    }
    return octets
  }

  /// Whether the simulator has closed its side of the port.
  var isClosed: Bool {
    var entry = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 10_000) > 0 && Int32(entry.revents) & POLLHUP != 0
  }

  /// Wakes the chip and checks its firmware version.
  func isReady() -> Bool {
    send([0x55, 0x55, 0x00, 0x00] + HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier))
    let expected =
      HSUFrame.acknowledge.octets() + HSUFrame.information([0x03, 0x32, 0x01, 0x06, 0x07]).octets()
    return receive(expected.count) == expected
  }
}

extension RealTimeTests {
  /// The threads, ports and descriptors of a simulator.
  struct ReaderSimulatorTests {
    /// Whether this process holds one of these pseudo-terminals open.
    static func holds(_ paths: [String]) throws -> Bool {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        return target.map(paths.contains) == true
      }
    }

    /// Whether they are closed, within 30 s, since a simulator of another suite may use the same numbers for a moment.
    static func areClosed(_ paths: [String]) throws -> Bool {
      for _ in 0..<3000 {
        if try !holds(paths) { return true }
        usleep(10_000)
      }
      return false
    }

    @Test(arguments: [SimulatedField.Layout.chip, .card(ProximityIdentity()), .pair])
    func `chips answer while the simulator runs, and their ports are closed after it`(
      layout: SimulatedField.Layout
    ) throws {
      var paths: [String] = []
      do {
        let running = try RunningSimulator(layout)
        paths = running.simulator.paths
        #expect(try Self.holds(paths))
        #expect(running.simulator.paths.count == (layout == .pair ? 2 : 1))
        #expect(running.simulator.connstrings == running.simulator.paths.map { "pn532_uart:" + $0 })
        for _ in 0..<3 {
          for path in running.simulator.paths { #expect(SerialHost(path)?.isReady() == true) }
        }
        let host = try #require(SerialHost(running.simulator.paths[0]))
        try running.finish()
        #expect(host.isClosed)
        running.simulator.stop()
        try running.finish()
      }
      #expect(try Self.areClosed(paths))
    }

    @Test func `a partial frame of the last host does not reach the next host`() throws {
      let running = try RunningSimulator(.chip)
      let path = running.simulator.paths[0]
      for cut in 1..<10 {
        do {
          let host = try #require(SerialHost(path))
          #expect(host.isReady())
          // A frame that announces 265 bytes and ends after some of them.
          host.send(Array(FieldHarness.frame([UInt8](repeating: 0, count: 264)).prefix(cut * 3)))
          // The simulator reads the bytes of the first host before the second one opens the port.
          usleep(20_000)
        }
        let next = try #require(SerialHost(path))
        #expect(next.isReady(), "after \(cut * 3) bytes of a frame")
      }
      try running.finish()
    }

    @Test func `a simulator that was stopped before it ran is closed and does not run`() throws {
      let simulator = try ReaderSimulator(.chip)
      #expect(try Self.holds(simulator.paths))
      simulator.stop()
      simulator.stop()
      #expect(try Self.areClosed(simulator.paths))
      try simulator.run()
    }

    @Test func `a simulator that never ran is closed with its owner`() throws {
      var paths: [String] = []
      do { paths = try ReaderSimulator(.pair).paths }
      #expect(try Self.areClosed(paths))
    }

    @Test func `a simulator runs once at a time`() throws {
      let running = try RunningSimulator(.chip)
      #expect(SerialHost(running.simulator.paths[0])?.isReady() == true)
      #expect(linkError { () throws(LinkError) in try running.simulator.run() }?.code == .busy)
      try running.finish()
    }

    @Test func `stop ends a search and a listening chip`() throws {
      for command in [[0x4A, 0x01, 0x01], FieldHarness.initialization] {
        let running = try RunningSimulator(.chip, timing: FieldTiming())
        let host = try #require(SerialHost(running.simulator.paths[0]))
        #expect(host.isReady())
        #expect(host.run([0x12, 0x34]) == [0x13])
        host.send(HSUFrame.information(command).octets(identifier: HSUFrame.hostIdentifier))
        #expect(host.receive(6) == HSUFrame.acknowledge.octets())
        try running.finish()
      }
    }

    @Test func `a fault plan is replaced while chips run, and frames are counted`() throws {
      let running = try RunningSimulator(.card(ProximityIdentity()))
      let host = try #require(SerialHost(running.simulator.paths[0]))
      #expect(host.isReady())
      #expect(host.run([0x4A, 0x01, 0x00])?.prefix(2) == [0x4B, 0x01])
      #expect(running.simulator.frameCounts.faulty == 0)
      running.simulator.setFaults(.random(seed: 1, [(.drop, 1000)]))
      // The block and three times R(NAK).
      #expect(host.run([0x40, 0x01, 0x00, 0x99, 0x00, 0x00]) == [0x41, 0x01])
      try running.finish()
      #expect(running.simulator.frameCounts.faulty == 4)
    }

    @Test func `the card gets the loss of its field at the end of the run`() throws {
      let journal = ResponderJournal()
      let running = try RunningSimulator(.card(ProximityIdentity()), card: ChannelContract.responder(journal: journal))
      let host = try #require(SerialHost(running.simulator.paths[0]))
      #expect(host.isReady())
      host.send(HSUFrame.information([0x32, 0x01, 0x01]).octets(identifier: HSUFrame.hostIdentifier))
      #expect(journal.wait { $0 == [.field(.powered)] })
      running.simulator.setCoupled(false)
      #expect(journal.wait { $0.last == .field(.lost) })
      running.simulator.setCoupled(true)
      #expect(journal.wait { $0.count == 3 })
      try running.finish()
      #expect(journal.fieldEvents == [.powered, .lost, .powered, .lost])
    }

    @Test(arguments: ChannelContract.exchanges)
    func `the exchanges of the channel contract cross the serial line and the field`(
      exchange: ChannelContract.Exchange
    ) throws {
      let running = try RunningSimulator(.card(ProximityIdentity()))
      let host = try #require(SerialHost(running.simulator.paths[0]))
      #expect(host.isReady())
      #expect(host.run([0x4A, 0x01, 0x00])?.prefix(2) == [0x4B, 0x01])
      var rest = exchange.command[...]
      while rest.count > 262 {
        #expect(host.run([0x40, 0x41] + rest.prefix(262)) == [0x41, 0x00])
        rest = rest.dropFirst(262)
      }
      var reply = host.run([0x40, 0x01] + rest)
      var response: [UInt8] = []
      while let part = reply, part.count >= 2 {
        response += part.dropFirst(2)
        reply = part[1] == 0x40 ? host.run([0x40, 0x01]) : nil
      }
      #expect(response == exchange.response)
      try running.finish()
    }
  }
}

extension SerialHost {
  /// Sends a command and reads the response.
  func run(_ command: [UInt8]) -> [UInt8]? {
    send(HSUFrame.information(command).octets(identifier: HSUFrame.hostIdentifier))
    guard receive(6) == HSUFrame.acknowledge.octets() else { return nil }
    let start = receive(5)
    guard start.count == 5 else { return nil }
    if start[3] == 0xFF, start[4] == 0xFF {
      let length = receive(3)
      guard length.count == 3 else { return nil }
      return Array(receive((Int(length[0]) << 8 | Int(length[1])) + 2).dropFirst().dropLast(2))
    }
    return Array(receive(Int(start[3]) + 2).dropFirst().dropLast(2))
  }
}
