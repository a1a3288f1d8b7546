import Fixtures
import Foundation
import TestSupport
import Testing

@testable import ProgramSupport
@testable import tap

/// Colours, which only a terminal gets.
@Suite("Colours on a terminal", .blocks, .timeLimit(.minutes(20)))
struct ColourTests {
  private static let visa = TapProgram.card("visa-cvn18")
  private static let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path

  /// Runs a command on a terminal of its own, which script (util-linux) makes.
  private func onTerminal(_ line: String, _ environment: [String: String] = [:]) throws -> String {
    // swift test sets NO_COLOR for its tests.
    let run = try ProgramRun(
      "script", ["--quiet", "--return", "--command", "\(TapProgram.path) \(line)", "/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
    _ = try run.finish(timeout: .seconds(120))
    return run.output
  }

  /// A command line, and a word with its colour.
  static let cases = [
    ("accept --reader loopback:\(visa) --amount 1 --currency EUR", "outcome: \u{1B}[1;32mapproved\u{1B}[0m"),
    ("accept --reader loopback:\(visa) --amount 1 --currency EUR", "SELECT AID  \u{1B}[1;32m9000\u{1B}[0m"),
    ("accept --reader loopback:\(visa) --amount 1 --currency EUR --issuer none", "\u{1B}[1;33monline request\u{1B}[0m"),
    ("send --reader loopback:\(visa) 00B2010C00", "READ RECORD  \u{1B}[1;31m"),
    ("replay \(recording)", "\u{1B}[1;32mreproduced\u{1B}[0m"), ("replay /dev/null", "\u{1B}[1;31munusable\u{1B}[0m"),
    ("decode 9F360200016A82", "SW: \u{1B}[1;31m6A82\u{1B}[0m"), ("decode 9F36030001", "\u{1B}[1;31m"),
    (
      "test --reader loopback \(Fixtures.url("Scenarios/visa-low-value.yaml").path)", "\u{1B}[1;32mok\u{1B}[0m"
    ),
  ]

  @Test(arguments: cases)
  func `a terminal gets colours, unless NO_COLOR is set`(_ line: String, _ coloured: String) throws {
    let shown = try onTerminal(line)
    #expect(shown.contains(coloured), "\(shown)")
    #expect(try !onTerminal(line, ["NO_COLOR": "1"]).contains("\u{1B}[1;"))
    #expect(try !onTerminal(line, ["TERM": "dumb"]).contains("\u{1B}[1;"))
    let piped = try TapProgram.finish(TapProgram.start(line.split(separator: " ").map(String.init)))
    #expect(!piped.output.contains("\u{1B}") && !piped.errors.contains("\u{1B}"), "\(piped.output)")
  }

  @Test func `a label of a card cannot colour a line`() throws {
    let scratch = try Scratch()
    let hex = { (text: String) in text.utf8.map { String(format: "%02X", $0) }.joined() }
    let tap = try String(contentsOfFile: Self.recording, encoding: .utf8)
    let hostile = tap.replacing(hex("VISA DEBIT"), with: hex("\u{1B}[1;32mOK "))
    try #require(hostile != tap)
    let file = try scratch.write("hostile.txt", hostile)
    let shown = try onTerminal("accept --reader replay:\(file) --amount 12.34 --currency EUR")
    let line = try #require(shown.split(whereSeparator: \.isNewline).first { $0.contains("OK ") }, "\(shown)")
    #expect(line.contains(#"\u{1B}[1;32mOK "#) && !line.contains("\u{1B}[1;32mOK"), "\(line.debugDescription)")
  }

  @Test func `tap test --verbose colours the difference, and not the exchanges`() throws {
    let scratch = try Scratch()
    let scenario = try scratch.write(
      "fails.yaml", "{name: a, card: {file: \(Self.visa)}, amount: 1.00, currency: EUR, expect: {outcome: declined}}")
    let lines = try onTerminal("test --reader loopback --verbose \(scenario)").split(whereSeparator: \.isNewline)
    let difference = try #require(lines.first { $0.contains("expected declined") }, "\(lines)")
    #expect(difference.contains("\u{1B}[1;31m"), "\(difference)")
    let exchanges = lines.filter { $0.contains("GET PROCESSING OPTIONS") }
    #expect(!exchanges.isEmpty && exchanges.allSatisfy { !$0.contains("\u{1B}") }, "\(exchanges)")
    // The verdict and the difference.
    #expect(lines.count { $0.contains("\u{1B}[1;31m") } == 2, "\(lines)")
  }

  @Test(arguments: [
    (0, "0 of 1000 taps"), (250, "250 of 1000 taps, 50.0 taps/s, 15 s left"),
    (1000, "1000 of 1000 taps, 200.0 taps/s, 0 s left"), (5, "5 of 1000 taps, 1.0 taps/s, 16 min 35 s left"),
  ])
  func `progress has the rate and the remaining time`(_ done: Int, _ text: String) {
    #expect(ProgressBar.text(done, of: 1000, "taps", after: .seconds(5)) == text)
  }

  @Test func `a bar is drawn on a terminal and cleared at the end`() throws {
    let shown = try onTerminal("bench --link direct --taps 2000")
    #expect(shown.contains("[##") && shown.contains(" taps/s, "), "\(shown)")
    #expect(shown.contains("\r\u{1B}[K"))
  }
}
