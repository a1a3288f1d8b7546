import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap test --link`: its options, its verdicts, and what an interruption keeps.
@Suite("Runs of terminal tests", .blocks, .timeLimit(.minutes(20)))
struct TerminalRunTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes a scenario that judges a terminal.
  func scenario(_ name: String, card further: String = "", _ expect: String) throws -> String {
    try scratch.write(
      "\(name).yaml",
      """
      role: card
      id: \(name)
      name: \(name)
      rule: EMV 4.4 Book 3, 10.2
      amount: 12.34
      currency: EUR
      timeout: 30
      card: {file: \(TapProgram.card("visa-cvn18"))\(further)}
      expect: {\(expect)}

      """)
  }

  func test(_ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["test"] + arguments))
  }

  @Test(arguments: [
    (["--observe", "true"], "--observe"), (["--timeout", "5"], "--timeout"), (["--card-stays"], "--card-stays"),
  ]) func `an option that the loopback ignores is refused with a reason`(_ options: [String], _ name: String) throws {
    let run = try test([scenario("plain", "shown: approved"), "--link", "loopback"] + options)
    #expect(run.code == 64 && run.errors.contains("\(name) "), "\(run.errors)")
  }

  @Test func `--verbose shows the exchanges of a tap that fails`() throws {
    let run = try test([scenario("wrong", "bytes: {GPO: \"80 A9\"}"), "--link", "loopback", "-v"])
    #expect(run.code == 2)
    #expect(run.output.contains("3. GET PROCESSING OPTIONS  9000"), "\(run.output)")
  }

  @Test(arguments: [
    (", wire: [{when: {command: GENERATE AC}, what: {kind: status, status: \"6985\"}}]", "change 1 of \"wire\""),
    (", leavesAfter: 200", "\"leavesAfter\""),
  ]) func `a change of the card that never applied leaves the tap without a judgement`(
    _ card: String, _ words: String
  ) throws {
    let run = try test([scenario("unused", card: card, "shown: approved"), "--link", "loopback"])
    #expect(run.code == 1 && run.output.contains("NOT JUDGED unused"), "\(run.output)")
    #expect(run.output.contains(words), "\(run.output)")
  }

  @Test func `scenarios of the other side are one line with their number`() throws {
    let cards = try (1...3).map { number in
      try scratch.write(
        "card \(number).yaml",
        "name: card \(number)\namount: 1\ncurrency: EUR\nexpect: {outcome: approved}\n")
    }
    let run = try test(cards + [scenario("plain", "shown: approved"), "--link", "loopback"])
    #expect(run.code == 0, "\(run.output)")
    #expect(run.output.split(separator: "\n").count == 3, "\(run.output)")
    #expect(run.output.contains("NOT APPLICABLE 3 scenarios: the scenario judges a card"), "\(run.output)")
  }
}
