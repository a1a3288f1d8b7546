import CPlainReader
import Foundation
import ISO7816
import Links
import Octets
import PCSCReader
import VirtualCard

/// Compares a command through `PCSCChannel` with the same command through `SCardTransmit` from plain C: the same pcscd, the
/// same reader and the same card, in alternating rounds of one process. Times never fail.
@main
struct Transmit {
  static let rounds = 20
  static let iterations = 1_000
  // GET DATA of the transaction counter.
  static let command: [UInt8] = [0x80, 0xCA, 0x9F, 0x36, 0x00]

  static func main() throws {
    let service = try PrivateReaderService.withVirtualReader(named: "Contactless Benchmark")
    defer { service.close() }
    setenv("PCSCLITE_CSOCK_NAME", service.socketPath, 1)
    let link = try VPCDLink(port: UInt16(truncatingIfNeeded: service.readers[0].channel))
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      var card = EchoingCard()
      try link.serve(&card)
    }
    let reader = service.readerNames[0]
    _ = try PCSCMonitor().waitForCard(in: reader, timeout: .seconds(20))
    try compare(at: reader)
    link.stop()
    try card.join()
  }

  /// Measures both in turns, with the order reversed in every second round. The first round warms up.
  static func compare(at reader: String) throws {
    var (plain, ours, ratios): ([UInt64], [UInt64], [Double]) = ([], [], [])
    for round in 0...rounds {
      var (first, second): ([UInt64], [UInt64]) = ([], [])
      if round % 2 == 0 { first = try plainRound(at: reader) }
      second = try channelRound(at: reader)
      if round % 2 == 1 { first = try plainRound(at: reader) }
      guard round > 0 else { continue }
      (plain, ours) = (plain + first, ours + second)
      ratios.append(Double(median(second)) / Double(median(first)))
    }
    show("plain C", plain)
    show("PCSCChannel", ours)
    ratios.sort()
    print(
      "ratio of the medians of \(rounds) rounds:",
      [ratios[0], ratios[ratios.count / 2], ratios[ratios.count - 1]].map { String(format: "%.3f", $0) }
        .joined(separator: " / "), "(least, median, largest)")
  }

  static func plainRound(at reader: String) throws -> [UInt64] {
    var times = [UInt64](repeating: 0, count: iterations)
    let code = plain_reader_measure(reader, command, command.count, &times, iterations)
    guard code == 0 else { throw LinkError(.transmissionFailed, "plain C: error \(String(code, radix: 16))") }
    return times
  }

  static func channelRound(at reader: String) throws -> [UInt64] {
    var times = [UInt64](repeating: 0, count: iterations)
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let clock = SystemClock()
    var channel = try PCSCChannel(reader: reader)
    var iteration = 0
    while iteration < iterations {
      let begun = clock.now.nanoseconds
      _ = try buffer.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
      times[iteration] = UInt64(clock.now.nanoseconds - begun)
      iteration += 1
    }
    channel.close()
    return times
  }

  static func median(_ times: [UInt64]) -> UInt64 { times.sorted()[times.count / 2] }

  static func show(_ name: String, _ times: [UInt64]) {
    let sorted = times.sorted()
    let figures = [0, sorted.count / 2, sorted.count * 9 / 10, sorted.count * 99 / 100, sorted.count - 1].map {
      String(format: "%.1f", Double(sorted[$0]) / 1_000)
    }
    print("\(name): min, p50, p90, p99, max in us: \(figures.joined(separator: " "))")
  }
}

/// A card that answers every command at once with data and 9000.
struct EchoingCard: CommandResponder {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.put(UInt32(0x9F36_0201), at: 0)
    response.put(UInt16(0x9000), at: 4)
    return 6
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
