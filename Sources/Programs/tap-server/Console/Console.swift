import ArgumentParser
import Foundation
import JSON

/// How a command prints its results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// Results go to standard output, everything else to standard error.
enum Console {
  /// Prints one line of results, at once. Ends the program when the line cannot be written: results must not be lost
  /// without a sign.
  static func print(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      note("error: standard output cannot be written")
      exit(EXIT_FAILURE)
    }
  }

  /// Writes a line to standard error. Without a standard error the line is lost.
  static func note(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}
