import CPlainReader
import Foundation
import ISO7816
import Links
import Octets
import PCSCReader
import Peers
import VirtualCard

/// Compares a command through `PCSCTransaction`, `PCSCBlockingChannel` and `PCSCChannel` with the same command through
/// `SCardTransmit` from plain C: the same pcscd, the same reader and the same card, in alternating rounds of one process.
/// Then the same command through pyscard. Times never fail.
///
/// `--cold` measures one tap a second in place of that: see `compareCold`.
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
    try CommandLine.arguments.contains("--cold") ? compareCold(at: reader) : compare(at: reader)
    link.stop()
    try card.join()
  }

  /// What is measured: each connects to the reader, and sends the command some times.
  static var subjects: [(name: String, round: (_ reader: String, _ count: Int) throws -> [UInt64])] {
    [
      ("SCardTransmit from C", plainRound), ("PCSCTransaction", transactionRound),
      ("PCSCBlockingChannel", blockingRound), ("PCSCChannel", channelRound),
    ]
  }

  /// Measures all in turns, with the order reversed in every second round. The first round warms up.
  static func compare(at reader: String) throws {
    var times = [[UInt64]](repeating: [], count: subjects.count)
    var ratios = [[Double]](repeating: [], count: subjects.count)
    for round in 0...rounds {
      var found = [[UInt64]](repeating: [], count: subjects.count)
      let order = round % 2 == 0 ? Array(subjects.indices) : subjects.indices.reversed()
      for index in order { found[index] = try subjects[index].round(reader, iterations) }
      guard round > 0 else { continue }
      for index in subjects.indices {
        times[index] += found[index]
        ratios[index].append(Double(median(found[index])) / Double(median(found[0])))
      }
    }
    print("us per command, and the ratio of the medians to C: least, median and largest of \(rounds) rounds")
    print(line("", ["min", "p50", "p90", "p99", "p99.9", "max", "ratio", "", ""]))
    for (index, subject) in subjects.enumerated() { show(subject.name, times[index], ratios[index].sorted()) }
    let peer = try Peers.times(["transmit", reader, String(rounds * iterations / 10)]).map { UInt64(max($0, 0)) }
    if peer.isEmpty { print("pyscard is not installed") } else { show("pyscard", peer, []) }
  }

  static func plainRound(at reader: String, _ count: Int) throws -> [UInt64] {
    var times = [UInt64](repeating: 0, count: count)
    let code = plain_reader_measure(reader, command, command.count, &times, count)
    guard code == 0 else { throw LinkError(.transmissionFailed, "plain C: error \(String(code, radix: 16))") }
    return times
  }

  /// The calls of `PCSCReader` alone, on the thread of the caller.
  static func transactionRound(at reader: String, _ count: Int) throws -> [UInt64] {
    let transaction = try PCSCContext().connect(to: reader).beginTransaction()
    let times = try measured(count) { (buffer) throws(PCSCError) in
      try buffer.withMutableOctets { (room) throws(PCSCError) in
        try transaction.card.transmit(command.span, into: &room)
      }
    }
    _ = try transaction.end(.leave).disconnect(.reset)
    return times
  }

  /// A command without a time limit, on the thread of the caller.
  static func blockingRound(at reader: String, _ count: Int) throws -> [UInt64] {
    try round(over: PCSCBlockingChannel(reader: reader), count)
  }

  /// A command with a time limit, on the thread of the channel.
  static func channelRound(at reader: String, _ count: Int) throws -> [UInt64] {
    try round(over: PCSCChannel(reader: reader), count)
  }

  private static func round<Channel: CardChannel & ~Copyable>(
    over channel: consuming Channel, _ count: Int
  ) throws -> [UInt64] {
    let times = try measured(count) { (buffer) throws(LinkError) in
      try buffer.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
    }
    channel.close()
    return times
  }

  private static func measured<Failure: Error>(
    _ count: Int, _ transmit: (inout [UInt8]) throws(Failure) -> Int
  ) throws(Failure) -> [UInt64] {
    var times = [UInt64](repeating: 0, count: count)
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let clock = SystemClock()
    var iteration = 0
    while iteration < count {
      let begun = clock.now.nanoseconds
      _ = try transmit(&buffer)
      times[iteration] = UInt64(clock.now.nanoseconds - begun)
      iteration += 1
    }
    return times
  }

  static func median(_ times: [UInt64]) -> UInt64 { times.sorted()[times.count / 2] }

  static func show(_ name: String, _ times: [UInt64], _ ratios: [Double]) {
    let sorted = times.sorted()
    let figures = [0, 500, 900, 990, 999, 1_000].map {
      String(format: "%.1f", Double(sorted[min(sorted.count * $0 / 1_000, sorted.count - 1)]) / 1_000)
    }
    let ends = ratios.isEmpty ? [] : [ratios[0], ratios[ratios.count / 2], ratios[ratios.count - 1]]
    print(line(name, figures + ends.map { String(format: "%.3f", $0) }))
  }

  static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 22, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
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
