import Octets

/// The messages of a story: a column for each part of a story, and an arrow for each message.
struct SequenceDiagram: Sendable {
  /// The parts, in the order in which they take part first.
  let parts: [String]
  /// The steps with their messages, the first one on top.
  let steps: [StoryStep]
  /// The refusals, in the order of the steps.
  let refusals: [Refusal]
  /// The times of the messages, in the order of the journal.
  let moments: [WallTime]

  init(_ entries: [Journal.Entry]) {
    steps = StoryStep.all(in: entries)
    refusals = Refusal.all(in: steps)
    moments = entries.compactMap { entry in
      if case .message(let message) = entry { message.sentAt } else { nil }
    }
    var parts: [String] = []
    for message in steps.flatMap(\.messages).map(\.message) {
      for name in [message.sender, message.receiver] where !parts.contains(name) { parts.append(name) }
    }
    self.parts = parts
  }

  /// The names of parts that are people. All others are programs.
  static let people: Set<String> = [Message.holder, "operator", "user"]

  /// The column of a part.
  func column(of part: String) -> Int { parts.firstIndex(of: part) ?? 0 }

  // MARK: As text

  /// The width of a column of the text, in characters.
  private static let columnWidth = 14

  /// The diagram in lines of text.
  var lines: [String] {
    let head = parts.map { $0.padded(to: Self.columnWidth) }.joined()
    return [head.trimmed] + steps.flatMap { step in (step.title.map { [$0] } ?? []) + step.messages.map(line) }
  }

  private func line(of repeated: StoryStep.Repeated) -> String {
    let message = repeated.message
    let (start, end) = (column(of: message.sender), column(of: message.receiver))
    let (left, right) = (min(start, end) * Self.columnWidth + 1, max(start, end) * Self.columnWidth + 1)
    var cells = Array(repeating: Character(" "), count: parts.count * Self.columnWidth)
    for column in parts.indices { cells[column * Self.columnWidth + 1] = "|" }
    if left < right {
      for place in left + 1..<right { cells[place] = "-" }
      cells[start < end ? right - 1 : left + 1] = start < end ? ">" : "<"
    }
    return String(cells) + repeated.text + (message.isRefused ? " (refused)" : "")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }

  fileprivate var trimmed: String {
    lastIndex { $0 != " " }.map { String(self[...$0]) } ?? ""
  }
}
