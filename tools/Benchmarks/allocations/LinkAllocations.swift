import CAllocationCounter
import EMVTerminal
import Foundation
import ISO7816
import Links
import Octets
import PCSCReader
import PaymentAcceptance
import TapLatency
import VirtualCard

/// Counts the heap allocations of the links per command, on the thread of the terminal and on the thread of the card.
enum LinkAllocations {
  /// The commands of one measurement; as many come before it.
  static let commands = 1_000
  private static let command: [UInt8] = [0x80, 0xCA, 0x9F, 0x36, 0x00]

  /// A thread and its allocations over all commands.
  struct Count: Sendable {
    let name: String
    let allocations: UInt64
  }

  static func all() throws -> [Count] { try direct() + loopback() + reader() }

  /// The commands that `tap bench --link direct` repeats.
  private static func direct() throws -> [Count] {
    let exchange = Exchange(
      number: 1, tap: 1, phase: .selectDirectory, command: command, response: [0x90, 0x00], nanoseconds: 1)
    var repetition = CommandRepetition(of: [exchange], rounds: 4 * commands)
    var channel = DirectChannel(CountingCard(ThreadCounts(), counting: 1...2))
    try repetition.run(over: &channel, rounds: commands)
    // A run may allocate once, but no more in a longer run.
    let begun = thread_allocation_count()
    try repetition.run(over: &channel, rounds: commands)
    let short = thread_allocation_count() - begun
    try repetition.run(over: &channel, rounds: 2 * commands)
    let long = thread_allocation_count() - begun - short
    return [Count(name: "repeated commands, card and link direct", allocations: long - min(short, long))]
  }

  private static func loopback() throws -> [Count] {
    let (loopback, counts) = (Loopback(), ThreadCounts())
    let card = serve(on: loopback, counts)
    let terminal = try count(over: try loopback.connect(timeout: .seconds(10)))
    loopback.stop()
    try card.join()
    return [
      Count(name: "loopback, terminal", allocations: terminal),
      Count(name: "loopback, card", allocations: counts.difference),
    ]
  }

  /// A virtual reader of a pcscd of its own.
  private static func reader() throws -> [Count] {
    let service = try PrivateReaderService.withVirtualReader(named: "Contactless Count")
    defer { service.close() }
    setenv("PCSCLITE_CSOCK_NAME", service.socketPath, 1)
    let link = try VPCDLink(port: UInt16(truncatingIfNeeded: service.readers[0].channel))
    let counts = ThreadCounts()
    let card = serve(on: link, counts)
    _ = try PCSCMonitor().waitForCard(in: service.readerNames[0], timeout: .seconds(20))
    let blocking = try count(over: PCSCBlockingChannel(reader: service.readerNames[0]))
    let terminal = try count(over: PCSCChannel(reader: service.readerNames[0]))
    link.stop()
    try card.join()
    return [
      Count(name: "PC/SC, terminal, without a time limit", allocations: blocking),
      Count(name: "PC/SC, terminal, with a time limit", allocations: terminal),
      Count(name: "vpcd, card", allocations: counts.difference),
    ]
  }

  private static func serve(on link: some EmulationLink, _ counts: ThreadCounts) -> DedicatedThread<Void, LinkError> {
    DedicatedThread(named: "card") { () throws(LinkError) in
      var card = CountingCard(counts, counting: commands...2 * commands)
      try link.serve(&card)
    }
  }

  private static func count<Channel: CardChannel & ~Copyable>(over channel: consuming Channel) throws -> UInt64 {
    defer { channel.close() }
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    try send(over: &channel, into: &buffer)
    let before = thread_allocation_count()
    try send(over: &channel, into: &buffer)
    return thread_allocation_count() - before
  }

  private static func send<Channel: CardChannel & ~Copyable>(
    over channel: inout Channel, into buffer: inout [UInt8]
  ) throws(LinkError) {
    var iteration = 0
    while iteration < commands {
      _ = try buffer.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
      iteration += 1
    }
  }
}
