import ArgumentParser
import Foundation

/// How a command prints its results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// Results go to standard output, everything else to standard error.
enum Console {
  /// Prints one line of results, at once.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Prints a value as one line of JSON.
  static func print(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Tells the person what is going on.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Says what went wrong and gives the exit code to throw.
  static func fail(_ message: some CustomStringConvertible, _ code: ExitCode = .failure) -> ExitCode {
    note("Error: \(message)")
    return code
  }
}
