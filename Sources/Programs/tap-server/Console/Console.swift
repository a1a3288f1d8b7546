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

/// Results go to standard output, everything else to standard error.
enum Console {
  /// The number of columns of the terminal on standard output; nil when standard output is not a terminal.
  static let width = TerminalWidth.columns(at: STDOUT_FILENO)

  /// Prints text for people, at once. Characters that would control the terminal become visible, and at a terminal lines
  /// that are too wide are broken between words.
  static func print(_ text: String) { write(FittedText.lines(text.visible(keeping: "\t\n"), width: width)) }

  /// Prints a line as it is. Ends the program when it cannot be written: results must not be lost without a sign.
  private static func write(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      note("error: standard output cannot be written")
      exit(EXIT_FAILURE)
    }
  }

  /// Prints JSON as one line.
  static func print(_ json: JSONValue) { write(json.compact.visibleJSON) }

  /// Writes a line to standard error. Without a standard error the line is lost.
  static func note(_ text: String) {
    let lines = FittedText.lines(text.visible(keeping: "\t\n"), width: noteWidth)
    try? FileHandle.standardError.write(contentsOf: Data((lines + "\n").utf8))
  }

  private static let noteWidth = TerminalWidth.columns(at: STDERR_FILENO)
}
