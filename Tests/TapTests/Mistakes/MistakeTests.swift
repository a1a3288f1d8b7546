import Fixtures
import Foundation
import TestSupport
import Testing

/// What users mistype and misplace: each mistake ends the program soon, with its exit code and a message on standard error
/// that names the place, the value, and the limit or the remedy.
@Suite("Mistakes", .blocks, .timeLimit(.minutes(20)))
struct MistakeTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write("open.json", "{")
    _ = try scratch.write("empty", "")
    _ = try scratch.write("letters.txt", "zz\n")
    _ = try scratch.write("list.json", "[1]")
    // A result of tap bench whose times overflow.
    let row = #""count": 1, "min_ns": 1, "p50_ns": 9223372036854775807, "max_ns": 1, "noise_ns": 1, "share": 1"#
    _ = try scratch.write(
      "endless.json",
      #"{"link": "direct", "card": "x", "clock_ns": 1, "unit": "ns", "taps": 1, "whole_taps": 1, "commands": [{"command": "SELECT AID", \#(row)}], "parts": [], "#
        + #""counts": [], "outcomes": []}"#)
  }

  /// Runs the program; DIR in an argument stands for the folder of `init`.
  func run(_ row: MistakeRow) throws {
    let folder = scratch.path("")
    let arguments = row.arguments.map {
      $0.replacingOccurrences(of: "DIR/", with: folder.hasSuffix("/") ? folder : folder + "/")
    }
    let program = try TapProgram.start(arguments)
    let ending = try program.finish(timeout: .seconds(120))
    #expect(ending == .exited(row.code), "\(row): \(program.output)\(program.errors)")
    let lines = program.errors.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("error: ") }, "\(row): \(program.errors)")
    #expect(!lines.contains { $0.hasPrefix("Error: ") }, "\(row): \(program.errors)")
    for name in row.names { #expect(program.errors.contains(name), "\(row), \(name): \(program.errors)") }
    #expect(program.output.isEmpty, "\(row): \(program.output)")
    // Wrong usage is answered with the usage of the command itself.
    guard row.code == 64, let usage = row.usage else { return }
    #expect(program.errors.contains("Usage: tap \(usage)"), "\(row): \(program.errors)")
  }

  @Test func `there are at least 230 mistakes`() {
    let rows = MistakeRow.payments + MistakeRow.files + MistakeRow.options + MistakeRow.commands
    #expect(rows.count + MistakeRow.commandLines.count >= 230)
  }

  @Test(arguments: MistakeRow.payments)
  func `a mistake in a payment names place, value and limit`(_ row: MistakeRow) throws { try run(row) }

  @Test(arguments: MistakeRow.files)
  func `a mistake with a file names the file and the reason`(_ row: MistakeRow) throws { try run(row) }

  @Test(arguments: MistakeRow.options)
  func `a mistake in any other command names place, value and limit`(_ row: MistakeRow) throws { try run(row) }

  @Test(arguments: MistakeRow.commands)
  func `a command that does not exist is answered with the one that was most likely meant`(_ row: MistakeRow) throws {
    try run(row)
  }

  @Test(arguments: MistakeRow.commandLines)
  func `every command refuses an unknown option and its remaining arguments with its own usage`(_ row: MistakeRow)
    throws
  {
    try run(row)
  }
}

/// A command line with a mistake.
struct MistakeRow: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let code: Int32
  /// What the message names.
  let names: [String]

  /// Rows of a text: in each line the command line, the exit code and what the message names, with ` ¦ ` between them.
  /// In a command line `''` is an empty argument, and ␣ a space in one.
  static func table(_ text: String) -> [MistakeRow] {
    text.split(separator: "\n").map { line in
      let cells = line.components(separatedBy: " ¦ ")
      let arguments = cells[0].split(separator: " ").map {
        $0 == "''" ? "" : $0.replacingOccurrences(of: "␣", with: " ")
      }
      return MistakeRow(arguments: arguments, code: Int32(cells[1]) ?? -1, names: Array(cells.dropFirst(2)))
    }
  }

  var testDescription: String { arguments.joined(separator: " ") }

  /// The command of the line; nil for a line without one.
  var usage: String? {
    let known = [
      "accept", "present", "test", "send", "dump", "shell", "replay", "decode", "convert", "redact", "bench", "readers",
      "demo", "version",
    ]
    return arguments.first.flatMap { known.contains($0) ? $0 : nil }
  }
}
