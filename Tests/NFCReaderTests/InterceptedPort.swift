import Glibc
import Links
import Octets
import Synchronization

@testable import ReaderSimulator

/// A serial port in front of a simulated chip. It passes all bytes to the chip, and what the chip sends through a
/// function that may change, delay or drop it.
final class InterceptedPort: Sendable {
  private let terminal: PseudoTerminal
  private let chip: Int32
  private let isClosed = Atomic(false)
  private let thread = Mutex<DedicatedThread<Void, Never>?>(nil)

  var path: String { terminal.path }
  var connstring: String { "pn532_uart:\(path)" }

  /// - Parameters:
  ///   - path: The port of the chip.
  ///   - change: Gets what the chip sends, at least one whole frame, and returns what the host receives.
  init(_ path: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
    terminal = try PseudoTerminal()
    chip = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    let running = DedicatedThread<Void, Never>(named: "port") { self.pass(change) }
    thread.withLock { $0 = running }
  }

  /// A port that replaces the responses to one command.
  ///
  /// - Parameters:
  ///   - code: The code of the response: 41 for InDataExchange, 8F for TgSetData.
  ///   - change: Gets the response's frame, which the simulator writes in one piece, and returns what the host
  ///     receives.
  convenience init(_ path: String, code: UInt8, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
    try self.init(path) { octets in
      // 00 00 FF LEN LCS D5 code ...; an acknowledgement may precede it.
      let place = octets.indices.dropLast().first { octets[$0] == 0xD5 && octets[$0 + 1] == code }
      guard let start = place.map({ $0 - 5 }), start >= 0 else { return octets }
      return octets[..<start] + change(Array(octets[start...]))
    }
  }

  /// Stops passing bytes. The port disappears with its owner.
  func close() {
    isClosed.store(true, ordering: .releasing)
    thread.withLock { $0.take() }?.join()
  }

  deinit { Glibc.close(chip) }

  private func pass(_ change: ([UInt8]) -> [UInt8]) {
    var room = [UInt8](repeating: 0, count: 4096)
    while !isClosed.load(ordering: .acquiring) {
      var entries = (terminal.descriptors + [chip]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, nfds_t(entries.count), 20) > 0 else { continue }
      let ready = entries.filter { $0.revents != 0 }.map(\.fd)
      for case .octets(let octets) in terminal.receive(ready, at: SystemClock().now) {
        _ = write(chip, octets, octets.count)
      }
      guard ready.contains(chip) else { continue }
      let count = read(chip, &room, room.count)
      guard count > 0 else { return }
      terminal.send(change(Array(room[..<count])))
    }
  }
}

/// A flag that one thread sets and others read.
final class Flag: Sendable {
  private let flag = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .acquiring) }

  func raise() { flag.store(true, ordering: .releasing) }

  func lower() { flag.store(false, ordering: .releasing) }
}

extension [UInt8] {
  /// The frame of a response with bit 7 of its status byte set, which no chip sends and at which libnfc calls abort().
  var withUnknownStatus: [UInt8] {
    var frame = self
    // 00 00 FF LEN LCS D5 code status ... DCS 00.
    frame[7] ^= 0x80
    frame[count - 2] &-= 0x80
    return frame
  }

  /// The frame of the response to TgInitAsTarget.
  static let activation: [UInt8] = [0, 0, 0xFF, 0x05, 0xFB, 0xD5, 0x8D, 0x08, 0xE0, 0x80, 0x36, 0]
}
