import Fixtures
import Foundation
import TestSupport
import Testing

/// Bytes of cards and names of files as the programs show them.
@Suite("Text of cards and files", .blocks, .timeLimit(.minutes(20)))
struct ForeignTextTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Characters that control a terminal or forge what it shows.
  static let forged: Set<Unicode.Scalar> = ["\u{1B}", "\u{9B}", "\u{202E}", "\u{200B}", "\r"]

  /// The recording of a payment with a card whose label clears the screen and begins a line.
  func recording() throws -> String {
    let file = scratch.path("visa.txt")
    _ = try TapProgram.accept(
      "loopback:\(TapProgram.card("visa-cvn18"))", amount: "1", currency: "978", ["--record", file])
    let label = Array("\u{1B}[2J\nOK\u{9B}J".utf8)
    let tap = try String(contentsOfFile: file, encoding: .utf8)
    let digits = label.map { String(format: "%02X", $0) }.joined()
    let hostile = tap.replacingOccurrences(
      of: Array("VISA DEBIT".utf8).map { String(format: "%02X", $0) }.joined(), with: digits)
    try #require(hostile != tap && label.count == "VISA DEBIT".utf8.count)
    return try scratch.write("hostile.txt", hostile)
  }

  static let commands: [[String]] = [
    ["accept", "--amount", "1", "--currency", "978", "--reader"],
    ["accept", "--amount", "1", "--currency", "978", "--verbose", "--reader"],
    ["accept", "--amount", "1", "--currency", "978", "--format", "json", "--reader"],
    ["accept", "--amount", "1", "--currency", "978", "--quiet", "--reader"],
  ]

  @Test(arguments: commands)
  func `a label with ESC and line feeds does not reach the terminal`(_ arguments: [String]) throws {
    let run = try TapProgram.finish(TapProgram.start(arguments + ["replay:\(recording())"]))
    #expect(run.code == 0 && run.output.contains("OK"), "\(run.errors)")
    for text in [run.output, run.errors] {
      #expect(!text.unicodeScalars.contains(where: Self.forged.contains), "\(text.debugDescription)")
      #expect(!text.split(separator: "\n").contains { $0.hasPrefix("OK") }, "\(text)")
    }
  }

  @Test func `a report page shows such a label with escapes`() throws {
    let page = scratch.path("page.html")
    _ = try TapProgram.accept("replay:\(recording())", amount: "1", currency: "978", ["--report", page])
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(!html.unicodeScalars.contains(where: Self.forged.contains))
  }

  @Test func `the name of a file cannot begin a line of a message`() throws {
    let run = try TapProgram.run("redact", scratch.path("a\nerror: b\u{1B}[2J"))
    #expect(run.code == 1 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(run.errors.contains(#"a\u{A}error: b\u{1B}[2J"#), "\(run.errors)")
  }
}
