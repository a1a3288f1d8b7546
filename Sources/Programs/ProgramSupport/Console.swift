internal import Foundation
package import JSON
internal import Octets
internal import Synchronization
internal import DisplayText
internal import POSIX

/// Results go to standard output, everything else to standard error.
package enum Console {
  /// The number of columns of the terminal on standard output; nil when standard output is not a terminal.
  package static let width = TerminalWidth.columns(at: STDOUT_FILENO)
  private static let noteWidth = TerminalWidth.columns(at: STDERR_FILENO)

  /// Prints one line of results, at once. Characters in it that would control the terminal become visible, and at a
  /// terminal a line that is too wide is broken between words and bytes.
  package static func print(_ line: String) { write(FittedText.lines(visible(line), width: width)) }

  /// Prints text of several lines as `print(_:)` does, without colours.
  package static func printLines(_ text: String) { write(fitted(text)) }

  /// Prints JSON as one line.
  package static func print(_ json: JSONValue) { write(json.compact.visibleJSON) }

  /// Prints results as they are, at once. Ends the program when they cannot be written: results must not be lost without
  /// a sign.
  package static func write(_ line: String) {
    do {
      try writeIfPossible(line)
    } catch {
      if Interrupt.isOutputClosed { Interrupt.endProgram(SIGPIPE) }
      note("error: standard output cannot be written: \(FileError.reason(error))")
      endProgram(EXIT_FAILURE)
    }
  }

  /// Prints results as they are, at once, for a program that goes on when they cannot be written.
  ///
  /// - Throws: An error of Foundation.
  package static func writeIfPossible(_ line: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Text of several lines for standard output: characters that would control the terminal become visible, and at a
  /// terminal lines that are too wide are broken between words.
  package static func fitted(_ text: String) -> String {
    FittedText.lines(text.visible(keeping: "\t\n"), width: width)
  }

  /// Ends the program at once. `exit` would run the destructors of the libraries, which take from a thread that still
  /// waits in one what it needs: that of libpcsclite frees the contexts of `SCardGetStatusChange`.
  ///
  /// Nothing is lost: the programs write their lines without a buffer.
  package static func endProgram(_ code: Int32) -> Never { _exit(code == 0 ? endCode : code) }

  /// The exit code of a command that was done: 0, or 2 after `noteUncertainty`.
  package static var endCode: Int32 { isUncertain.load(ordering: .relaxed) ? 2 : 0 }

  /// Notes that the command is done, and that something else may happen that it was to prevent: it ends with exit code 2.
  package static func noteUncertainty() { isUncertain.store(true, ordering: .relaxed) }

  private static let isUncertain = Atomic(false)

  /// Writes progress or an error, which may have several lines, to standard error, for people as `print(_:)` does.
  package static func note(_ text: String) {
    writeNote(FittedText.lines(text.visible(keeping: "\t\n"), width: noteWidth))
  }

  /// Writes a line to standard error as it is. Without a standard error the line is lost.
  package static func writeNote(_ line: String) {
    ProgressBar.clear()
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }
}
