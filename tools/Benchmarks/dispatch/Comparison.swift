import CInstructionCounter
import EMVCard
import ISO7816
import Octets

/// The three cards side by side, on one thread.
struct Comparison: ~Copyable {
  let commands: [DispatchCommand]
  private let plain: PlainCard
  private var card: Card
  private var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)

  init(_ image: CardImage) {
    commands = DispatchCommand.all(for: image)
    plain = PlainCard(image)
    card = Card(image: image)
  }

  private mutating func answer<Session: CommandResponder & ~Copyable>(
    _ command: DispatchCommand, _ subject: Subject, _ session: inout Session, times: Int
  ) -> Int {
    switch subject {
    case .plain: plain.answer(command.octets, times: times, into: &buffer)
    case .card: card.answer(command.octets, times: times, into: &buffer)
    case .session: session.answer(command.octets, times: times, into: &buffer)
    }
  }

  /// Returns the name of the first command to which the cards respond differently, or nil.
  mutating func firstDifference<Session: CommandResponder & ~Copyable>(_ session: inout Session) -> String? {
    for command in commands {
      var responses: Set<[UInt8]> = []
      for subject in Subject.allCases {
        let count = answer(command, subject, &session, times: 1)
        responses.insert(Array(buffer[..<count]))
      }
      if responses.count > 1 { return command.name }
    }
    return nil
  }

  /// Measures every command with every card, one after the other, in several rounds.
  ///
  /// - Returns: The nanoseconds of one command: for each measured command and each card, one value for each round.
  mutating func times<Session: CommandResponder & ~Copyable>(
    _ session: inout Session, rounds: Int, iterations: Int
  ) -> [[[Double]]] {
    let clock = SystemClock()
    let row = [[Double]](repeating: [], count: Subject.allCases.count)
    var results = [[[Double]]](repeating: row, count: commands.count)
    for round in 0...rounds {
      for index in commands.indices {
        for (column, subject) in Subject.allCases.enumerated() {
          let times = commands[index].isMeasured ? iterations : 1
          let begun = clock.now.nanoseconds
          _ = answer(commands[index], subject, &session, times: times)
          let elapsed = Double(clock.now.nanoseconds - begun) / Double(times)
          // The first round warms up.
          if round > 0 { results[index][column].append(elapsed) }
        }
      }
    }
    return results
  }

  /// The numbers of commands of one measurement; the difference of two counts is free of what happens once.
  static let countedRuns = [1_000, 3_000]
  /// How often each measurement is repeated. The counts are those of the whole process, in which the session may work
  /// beside the link; the least count is that of the link alone.
  static let repetitions = 3

  /// Writes the instruction counts of every command and card, each under the name `command card times repetition`.
  mutating func dumpCounts<Session: CommandResponder & ~Copyable>(_ session: inout Session) {
    for (row, command) in commands.enumerated() {
      for (column, subject) in Subject.allCases.enumerated() {
        guard command.isMeasured else {
          _ = answer(command, subject, &session, times: 1)
          continue
        }
        _ = answer(command, subject, &session, times: 10)
        for repetition in 0..<Self.repetitions {
          for times in Self.countedRuns {
            instruction_counter_reset()
            _ = answer(command, subject, &session, times: times)
            instruction_counter_dump("\(row) \(column) \(times) \(repetition)")
          }
        }
      }
    }
  }
}
