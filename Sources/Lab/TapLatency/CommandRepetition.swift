internal import EMVTerminal
internal import ISO7816
public import Links
public import Octets
public import PaymentAcceptance

/// The commands of a tap that a card answers in the same way any number of times. They are sent again and again to one
/// card, and each is timed.
///
/// Between two commands nothing is allocated: all memory is reserved before the first one.
public struct CommandRepetition: Sendable {
  private struct Command: Sendable {
    let octets: [UInt8]
    let responseCount: Int
    let status: StatusWord
    /// The index of the times of this command.
    let row: Int
  }

  private let commands: [Command]
  private var buffer = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
  private(set) var rows: [Samples] = []

  /// Creates a repetition.
  ///
  /// - Parameters:
  ///   - exchanges: Recorded commands with their responses, in the order of a tap.
  ///   - rounds: How often all of them are timed.
  public init(of exchanges: [Exchange], rounds: Int) {
    var names: [String] = []
    commands = exchanges.compactMap { exchange in
      guard let response = exchange.response, response.count >= 2 else { return nil }
      // A part of a response can be fetched once.
      if exchange.command.starts(with: [0x00, Instruction.getResponse]) { return nil }
      let name = exchange.phase.rawValue
      let row = names.firstIndex(of: name) ?? names.count
      if row == names.count { names.append(name) }
      let status = UInt16(response[response.count - 2]) << 8 | UInt16(response[response.count - 1])
      return Command(
        octets: exchange.command, responseCount: response.count, status: StatusWord(rawValue: status), row: row)
    }
    rows = names.indices.map { row in
      Samples(names[row], capacity: rounds * commands.count { $0.row == row })
    }
  }

  /// The names of the commands.
  public var names: [String] { rows.map(\.name) }

  /// Sends all commands several times.
  ///
  /// - Parameters:
  ///   - channel: The card.
  ///   - rounds: How often.
  ///   - isTimed: Whether the times are kept; otherwise the rounds warm up.
  ///   - clock: Times the commands.
  ///   - progress: Called with the number of rounds done, at most a hundred times.
  /// - Throws: `LinkError`: what the channel throws, and `.recordingDiffers` when a response has another length or another
  ///   status word than the recorded one.
  public mutating func run<Channel: CardChannel & ~Copyable>(
    over channel: inout Channel, rounds: Int, isTimed: Bool = true, by clock: SystemClock = SystemClock(),
    progress: (Int) -> Void = { _ in }
  ) throws(LinkError) {
    let step = max(rounds / 100, 1)
    var round = 0
    while round < rounds {
      var index = 0
      while index < commands.count {
        let time = try send(index, over: &channel, by: clock)
        if isTimed { rows[commands[index].row].add(time) }
        index &+= 1
      }
      round &+= 1
      if round % step == 0 { progress(round) }
    }
  }

  /// Sends a command and returns the time until its response was there.
  private mutating func send<Channel: CardChannel & ~Copyable>(
    _ index: Int, over channel: inout Channel, by clock: SystemClock
  ) throws(LinkError) -> Int64 {
    // A reference to the same bytes, so that the span of the command does not borrow this value.
    let octets = commands[index].octets
    let begun = clock.now.nanoseconds
    let count = try buffer.withMutableOctets { (room) throws(LinkError) in
      try channel.transmit(octets.span, into: &room)
    }
    let time = clock.now.nanoseconds &- begun
    guard count == commands[index].responseCount, status(endingAt: count) == commands[index].status else {
      throw difference(index, count)
    }
    return time
  }

  private func status(endingAt count: Int) -> StatusWord {
    StatusWord(rawValue: UInt16(buffer[count - 2]) << 8 | UInt16(buffer[count - 1]))
  }

  @inline(never)
  private func difference(_ index: Int, _ count: Int) -> LinkError {
    LinkError(
      .recordingDiffers,
      """
      \(rows[commands[index].row].name), sent again: the card returned \(count.bytes) with the status word \
      \(status(endingAt: count)), and in the payment \(commands[index].responseCount) bytes with \
      \(commands[index].status)
      """)
  }
}
