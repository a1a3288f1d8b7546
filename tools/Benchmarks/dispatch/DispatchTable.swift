import Foundation

/// The results as a table, and the limits of the counts.
struct DispatchTable {
  /// The most instructions of a command for the card alone, and inside its session, in the order of the commands. Counts
  /// are exact for one compiler and processor; the limits have a margin of 10 % for others. A command whose response comes from
  /// keys has the checks of the card's rights around it.
  static let limits: [String: (card: Double, session: Double)] = [
    "SELECT PPSE": (213, 490), "unknown AID": (240, 505), "SELECT AID": (303, 570),
    "unknown instruction": (249, 530), "READ RECORD": (242, 520), "second GPO": (311, 1_100),
  ]

  private struct Row {
    let name: String
    let times: [Double]
    let instructions: [Double]
  }

  private let rows: [Row]
  private let sums: [Double]

  /// - Parameters:
  ///   - times: The nanoseconds of one command, for each command, card and round.
  ///   - instructions: The instructions of one command, for each command and card.
  init(_ commands: [DispatchCommand], _ times: [[[Double]]], _ instructions: [[Double?]]) {
    let rows = commands.indices.compactMap { index -> Row? in
      guard commands[index].isMeasured else { return nil }
      return Row(
        name: commands[index].name, times: times[index].map { $0.min() ?? 0 },
        instructions: instructions[index].compactMap(\.self))
    }
    self.rows = rows
    sums = Subject.allCases.indices.map { column in rows.reduce(0) { $0 + $1.times[column] } }
  }

  /// What exceeds its limit.
  var excesses: [String] {
    rows.flatMap { row -> [String] in
      guard let limit = Self.limits[row.name] else { return ["\(row.name) has no limit"] }
      return [(1, limit.card), (2, limit.session)].compactMap { column, limit in
        guard row.instructions[column] > limit else { return nil }
        return
          "\(row.name), \(Subject.allCases[column].rawValue): \(row.instructions[column]) instructions; the limit is \(limit)"
      }
    }
  }

  func print() {
    Swift.print(
      "ns per command (the least of the rounds, since other programs only add time), then instructions per command")
    Swift.print(Self.line("", ["C", "alone", "x C", "session", "+ ns", "C", "alone", "session"]))
    for row in rows {
      Swift.print(Self.line(row.name, Self.cells(row.times) + row.instructions.map { Self.text($0, 0) }))
    }
    Swift.print(Self.line("all six", Self.cells(sums)))
  }

  private static func cells(_ times: [Double]) -> [String] {
    [
      text(times[0], 1), text(times[1], 1), text(times[1] / times[0], 2), text(times[2], 1),
      text(times[2] - times[1], 1),
    ]
  }

  private static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

  private static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 22, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }.joined()
  }
}
