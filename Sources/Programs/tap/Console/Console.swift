import ArgumentParser
import EMVCard
import Foundation
import Octets
import TerminalText
import WholeFiles

/// How a command prints its results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// Results go to standard output, everything else to standard error.
enum Console {
  /// The number of columns of the terminal on standard output; nil when standard output is not a terminal.
  static let width = TerminalWidth.columns(at: STDOUT_FILENO)

  /// Prints one line of results, at once. Characters in it that would control the terminal become visible, and at a
  /// terminal a line that is too wide is broken between words and bytes.
  static func print(_ line: String) { write(FittedText.lines(visible(line), width: width)) }

  /// Prints text of several lines, which has no text of a card, a device or a file.
  static func printLines(_ text: String) { write(FittedText.lines(text.visible(keeping: "\t\n"), width: width)) }

  /// Prints results as they are, at once. Ends the program when they cannot be written: results must not be lost without a
  /// sign.
  static func write(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      if Interrupt.isOutputClosed { Interrupt.endProgram(SIGPIPE) }
      note("error: standard output cannot be written: \(FileError.reason(error))")
      endProgram(EXIT_FAILURE)
    }
  }

  /// Ends the program at once. `exit` would run the destructors of the libraries, which take from a thread that still
  /// waits in one what it needs: that of libpcsclite frees the contexts of `SCardGetStatusChange`.
  ///
  /// Nothing is lost: this program writes its lines without a buffer.
  static func endProgram(_ code: Int32) -> Never { _exit(code) }

  /// Prints a value as one line of JSON.
  static func print(json value: some Encodable) throws { write(try json(value)) }

  /// A value as one line of JSON.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self).visibleJSON
  }

  /// Writes progress or an error, which may have several lines, to standard error, for people as `print(_:)` does.
  static func note(_ text: String) {
    writeNote(FittedText.lines(text.visible(keeping: "\t\n"), width: noteWidth))
  }

  private static let noteWidth = TerminalWidth.columns(at: STDERR_FILENO)

  private static func writeNote(_ line: String) {
    ProgressBar.clear()
    // Without a standard error the line is lost.
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Writes a line of JSON to standard error.
  static func note(json value: some Encodable) {
    // A value of texts and numbers always encodes.
    if let line = try? json(value) { writeNote(line) }
  }

  /// Reports a fault that a card was made to commit.
  static func note(_ fault: InjectedFault, as format: OutputFormat) {
    switch format {
    case .text: note("\(fault)")
    case .json: note(json: fault)
    }
  }

  /// Reports an error in the format of a command: on standard error, and as JSON on standard output too. Returns the exit
  /// code to throw.
  static func fail(_ error: any Error, as format: OutputFormat) -> ExitCode {
    if format == .json, let line = try? json(ErrorReport(error)) { write(line) }
    return fail("\(error)")
  }

  /// Writes an error to standard error and returns the exit code to throw.
  static func fail(_ message: some CustomStringConvertible, _ code: ExitCode = .failure) -> ExitCode {
    note("error: \(message)")
    return code
  }
}
