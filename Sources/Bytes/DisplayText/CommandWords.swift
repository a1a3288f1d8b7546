/// The words of a command line, split as a POSIX shell splits them (XCU 2.2), for a program that is started without a
/// shell. Quotes and backslashes work; whatever else a shell acts on is refused.
package struct CommandWords: Sendable {
  /// At least one word; the first names the program.
  package let words: [String]

  private static let operators: Set<Character> = ["|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "["]

  /// - Throws: `CommandWordsError` for an empty line, an open quote and what needs a shell.
  package init(_ line: String) throws(CommandWordsError) {
    var words: [String] = []
    var word: String?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r\n":
        if let ended = word.take() { words.append(ended) }
      case "'": word = (word ?? "") + (try Self.literal(&rest))
      case "\"": word = (word ?? "") + (try Self.quoted(&rest))
      case "\\":
        guard let next = rest.popFirst() else { throw .endsInBackslash }
        // A line that goes on: both characters are left out.
        if next != "\n" { word = (word ?? "") + String(next) }
      case _ where Self.operators.contains(character) || word == nil && "~#".contains(character):
        throw .needsShell(character)
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    guard words.first?.isEmpty == false else { throw .noProgram }
    self.words = words
  }

  /// What stands in single quotes, up to the closing one.
  private static func literal(_ rest: inout Substring) throws(CommandWordsError) -> String {
    guard let end = rest.firstIndex(of: "'") else { throw .openQuote("'") }
    defer { rest = rest[rest.index(after: end)...] }
    return String(rest[..<end])
  }

  /// What stands in double quotes, up to the closing one.
  private static func quoted(_ rest: inout Substring) throws(CommandWordsError) -> String {
    var text = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return text
      case "$", "`": throw .needsShell(character)
      case "\\":
        guard let next = rest.popFirst() else { throw .openQuote("\"") }
        if next == "\n" { continue }
        // Before any other character the backslash stays.
        text += "$`\"\\".contains(next) ? String(next) : "\\\(next)"
      default: text.append(character)
      }
    }
    throw .openQuote("\"")
  }
}

/// Why a line is no command that can be started without a shell.
package enum CommandWordsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no word, or the first one is empty.
  case noProgram
  /// A quote has no end.
  case openQuote(Character)
  /// The last character is a backslash.
  case endsInBackslash
  /// A character on which a shell acts, outside of quotes.
  case needsShell(Character)

  package var description: String {
    switch self {
    case .noProgram: "it names no program"
    case .openQuote(let quote): "the quote \(quote) has no end"
    case .endsInBackslash: "nothing follows the last backslash"
    case .needsShell(let character):
      "no shell runs it, so \(character) has no effect: quote it, or write sh -c '...'"
    }
  }
}
