import ArgumentParser
import EMVCard
import Foundation
import Octets
import ProgramSupport

extension Console {
  /// Prints a value as one line of JSON.
  static func print(json value: some Encodable) throws { write(try json(value)) }

  /// A value as one line of JSON.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self).visibleJSON
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
