package import JSON
internal import Octets

/// The results of one command as events: lines for people, or JSON Lines for programs.
package struct EventOutput: Sendable {
  /// How the results are printed.
  package let format: OutputFormat
  private let goesOn: Bool

  /// Creates an output.
  ///
  /// - Parameter goesOn: Whether the command goes on when standard output cannot be written; otherwise the program ends.
  package init(_ format: OutputFormat, goesOn: Bool = false) { (self.format, self.goesOn) = (format, goesOn) }

  /// Prints a result: its text, or its members as one line of JSON with the name of the event. In JSON, times of a server are
  /// ISO 8601 text.
  ///
  /// - Parameter text: The lines for people; nil when they need none.
  package func event(_ name: String, _ members: [(String, JSONValue?)], text: String?) {
    switch format {
    case .json: line(JSONValue(members: [("event", JSONValue(name))] + members).withInstants)
    case .text: if let text { print(text) }
    }
  }

  /// Prints the last line of a command that is done.
  ///
  /// - Parameter text: The lines for people; nil when the results say enough.
  package func succeeded(_ operation: String, _ members: [(String, JSONValue?)] = [], text: String? = nil) {
    event("succeeded", [("operation", JSONValue(operation))] + members, text: text)
  }

  /// Prints the last line of a command that is not done, for programs. People read its sentence on standard error.
  package func failed(_ operation: String, _ failure: CommandFailure) {
    let error = JSONValue(members: [
      ("code", JSONValue(failure.code)), ("message", JSONValue(failure.message)),
      ("attemptsLeft", failure.attemptsLeft.map { JSONValue($0) }),
    ])
    event("failed", [("operation", JSONValue(operation)), ("error", error)], text: nil)
  }

  /// Prints JSON as one line.
  package func line(_ json: JSONValue) { write(json.compact.visibleJSON) }

  /// Prints text for people. Characters that would control the terminal become visible, and at a terminal lines that are too
  /// wide are broken between words.
  package func print(_ text: String) { write(Console.fitted(text)) }

  private func write(_ line: String) {
    if goesOn { try? Console.writeIfPossible(line) } else { Console.write(line) }
  }
}
