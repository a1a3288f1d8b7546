import JSON
import Octets
import ProgramSupport

/// Prints the events of one command: JSON Lines on standard output, or text for people.
struct Output: Sendable {
  let format: OutputFormat

  /// A result.
  ///
  /// - Parameter text: The line for people; nil when they need none.
  func event(_ name: String, _ members: [(String, JSONValue?)], text: String?) {
    switch format {
    case .json: Self.line(JSONValue(members: [("event", JSONValue(name))] + members))
    case .text: if let text { Self.print(text) }
    }
  }

  /// The last line of a command that is done.
  func succeeded(_ operation: String, _ members: [(String, JSONValue?)], text: String) {
    event("succeeded", [("operation", JSONValue(operation))] + members, text: text)
  }

  /// The last line of a command that is not done.
  func failed(_ operation: String, _ failure: CommandFailure) {
    switch format {
    case .json:
      let error = JSONValue(members: [
        ("code", JSONValue(failure.code)), ("message", JSONValue(failure.message)),
        ("attemptsLeft", failure.attemptsLeft.map { JSONValue($0) }),
      ])
      Self.line(JSONValue(members: [("event", "failed"), ("operation", JSONValue(operation)), ("error", error)]))
    case .text: Console.note("error: \(failure.message.visible()) (\(failure.code))")
    }
  }

  /// Prints JSON as one line of standard output.
  static func line(_ json: JSONValue) { write(json.compact.visibleJSON) }

  /// Prints text for people. Characters that would control the terminal become visible, and at a terminal lines that are too
  /// wide are broken between words.
  static func print(_ text: String) { write(Console.fitted(text)) }

  /// Writes a line to standard output, at once. An operation goes on when its output is lost.
  private static func write(_ line: String) { try? Console.writeIfPossible(line) }
}
