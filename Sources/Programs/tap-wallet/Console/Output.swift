import ArgumentParser
import Foundation
import JSON
import Octets
import TerminalText

/// How a command prints its results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

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
    case .text: Self.note("error: \(failure.message.visible()) (\(failure.code))")
    }
  }

  /// Prints JSON as one line of standard output.
  static func line(_ json: JSONValue) { write(json.compact.visibleJSON) }

  /// Prints text for people. Characters that would control the terminal become visible, and at a terminal lines that are too
  /// wide are broken between words.
  static func print(_ text: String) { write(FittedText.lines(text.visible(keeping: "\t\n"), width: width)) }

  /// Writes a line to standard output, at once.
  private static func write(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Writes text for people to standard error. At a terminal lines that are too wide are broken between words.
  static func note(_ text: String) { TerminalInput.write(FittedText.lines(text, width: noteWidth) + "\n") }

  private static let width = TerminalWidth.columns(at: STDOUT_FILENO)
  private static let noteWidth = TerminalWidth.columns(at: STDERR_FILENO)
}
