import ArgumentParser
import CardExploration
import CardFaults
import EMVCard
import Foundation
import ISO7816
import Octets
import ProgramSupport
import Transcripts

extension Console {
  /// Prints a value as one line of JSON.
  static func print(json value: some Encodable) throws { write(try json(value)) }

  /// Prints a value as one line of JSON, without what must not be shown.
  static func print(json value: some Encodable, hiding mask: OutputMask) throws { write(mask.masked(try json(value))) }

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
    if format == .json { note(json: fault) } else { note("\(fault)") }
  }

  /// Runs a command's work, and reports an error in its format. Wrong usage and an exit code are passed on.
  static func reportingErrors(as format: OutputFormat = .text, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      throw reported(error, format)
    }
  }

  /// As `reportingErrors(as:_:)`, for work that does not wait.
  static func reportingErrors(as format: OutputFormat = .text, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw reported(error, format)
    }
  }

  private static func reported(_ error: any Error, _ format: OutputFormat) -> any Error {
    error is ExitCode || error is ValidationError ? error : fail(error, as: format)
  }

  /// Reports an error in the format of a command: on standard error, and as JSON on standard output too. Returns the exit
  /// code to throw.
  static func fail(_ error: any Error, as format: OutputFormat = .text) -> ExitCode {
    if format == .json, let line = try? json(JSONObject.error(error)) { write(line) }
    note("error: \(error)")
    return Exit(error).code
  }
}

extension Console {
  /// The status word at the end of a response: green for 9000, yellow for a warning, red for a refusal.
  ///
  /// - Parameter missing: The text for a response that never came.
  static func status(of response: [UInt8]?, missing: String) -> String {
    guard let response, let parsed = try? ResponseAPDU(parsing: response.span) else { return coloured(missing, .red) }
    let colour: Colour = parsed.status.rawValue == 0x9000 ? .green : parsed.status.isRefusal ? .red : .yellow
    return coloured("\(parsed.status)", colour)
  }

  /// A line of decoded bytes: faults are red, and a status word has its colour.
  static func decoded(_ line: String) -> String {
    let words = line.drop { $0 == " " }
    if words.hasPrefix("malformed: ") || words.hasPrefix("cut off: ") { return coloured(line, .red) }
    guard words.hasPrefix("SW: "), let octets = try? [UInt8](hex: String(words.dropFirst(4).prefix(4))) else {
      return line
    }
    return line.prefix(line.count - words.count) + "SW: " + status(of: octets, missing: "") + words.dropFirst(8)
  }
}
