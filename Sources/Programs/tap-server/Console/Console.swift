import ArgumentParser
import Foundation
import JSON
import Octets

/// How a command prints its results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// Results go to standard output, everything else to standard error.
enum Console {
  /// Prints results, at once. Characters that would control the terminal become visible. Ends the program when they cannot
  /// be written: results must not be lost without a sign.
  static func print(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((line.visible(keeping: "\t\n") + "\n").utf8))
    } catch {
      note("error: standard output cannot be written")
      exit(EXIT_FAILURE)
    }
  }

  /// Prints JSON as one line.
  static func print(_ json: JSONValue) { print(json.compact.visibleJSON) }

  /// Writes a line to standard error. Without a standard error the line is lost.
  static func note(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line.visible(keeping: "\t\n") + "\n").utf8))
  }
}
