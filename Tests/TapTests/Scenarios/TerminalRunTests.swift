import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap test --link`: its options, its verdicts, and what an interruption keeps.
@Suite("Runs of terminal tests", .blocks, .timeLimit(.minutes(20)))
struct TerminalRunTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func test(_ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["test"] + arguments))
  }

  @Test(arguments: [
    (["--observe", "true"], "--observe"), (["--timeout", "5"], "--timeout"), (["--card-stays"], "--card-stays"),
  ]) func `an option that the loopback ignores is refused with a reason`(_ options: [String], _ name: String) throws {
    let run = try test([scratch.terminalScenario("plain", expect: "shown: approved"), "--link", "loopback"] + options)
    #expect(run.code == 64 && run.errors.contains("\(name) "), "\(run.errors)")
  }

  @Test func `--verbose shows the exchanges of a tap that fails`() throws {
    let run = try test([
      scratch.terminalScenario("wrong", expect: "bytes: {GPO: \"80 A9\"}"), "--link", "loopback", "-v",
    ])
    #expect(run.code == 2)
    #expect(run.output.contains("3. GET PROCESSING OPTIONS  9000"), "\(run.output)")
  }

  @Test(arguments: [
    ("wire: [{when: {command: GENERATE AC}, what: {kind: status, status: \"6985\"}}]", "change 1 of \"wire\""),
    ("leavesAfter: 200", "\"leavesAfter\""),
  ]) func `a change of the card that never applied leaves the tap without a judgement`(
    _ card: String, _ words: String
  ) throws {
    let run = try test([scratch.terminalScenario("unused", card, expect: "shown: approved"), "--link", "loopback"])
    #expect(run.code == 2 && run.output.contains("NOT JUDGED unused"), "\(run.output)")
    #expect(run.output.contains(words), "\(run.output)")
  }

  @Test func `scenarios of the other side are one line with their number`() throws {
    let cards = try (1...3).map { number in
      try scratch.write(
        "card \(number).yaml",
        "name: card \(number)\namount: 1\ncurrency: EUR\nexpect: {outcome: approved}\n")
    }
    let run = try test(cards + [scratch.terminalScenario("plain", expect: "shown: approved"), "--link", "loopback"])
    #expect(run.code == 0, "\(run.output)")
    #expect(run.output.split(separator: "\n").count == 3, "\(run.output)")
    #expect(run.output.contains("NOT APPLICABLE 3 scenarios: the scenario judges a card"), "\(run.output)")
  }

  @Test func `recordings of a run are judged again without a terminal, and a tap without one is not judged`() throws {
    let folder = scratch.path("recordings")
    let files = try [
      scratch.terminalScenario("right", expect: "shown: approved, tags: {9F02: entered, 9A: entered}"),
      scratch.terminalScenario("wrong", expect: "bytes: {GPO: \"80 A9\"}"),
      scratch.terminalScenario("unused", "leavesAfter: 200", expect: "shown: approved"),
    ]
    let first = try test(files + ["--link", "loopback", "--record", folder])
    #expect(first.code == 2, "\(first.output)\(first.errors)")
    let again = try test(files + ["--link", "replay:\(folder)"])
    #expect(again.code == 2, "\(again.output)\(again.errors)")
    for words in ["ok   right", "FAILED wrong", "NOT JUDGED unused", "\"leavesAfter\" never applied"] {
      #expect(first.output.contains(words) && again.output.contains(words), "\(again.output)")
    }
    let further = try test(
      files + [scratch.terminalScenario("further", expect: "shown: approved"), "--link", "replay:\(folder)"])
    #expect(further.code == 2 && further.output.contains("NOT JUDGED further"), "\(further.output)")
    #expect(further.output.contains("has no recording of further, tap 1"), "\(further.output)")
    let none = try test(files + ["--link", "replay:\(scratch.path("nowhere"))"])
    #expect(none.code == 1, "\(none.errors)")
  }

  static let visaOnly = Fixtures.url("Capabilities/visa-only.yaml").path

  @Test func `--capabilities leaves scenarios out that the terminal cannot have, and takes its limits`() throws {
    let high = try scratch.terminalScenario(
      "high", amount: "{above: cvmLimit}", expect: "tags: {9F02: \"000000002501\"}")
    let other = try scratch.terminalScenario(
      "other", amount: "1", card: TapProgram.card("mastercard-cvn16"), expect: "shown: approved")
    let options = ["--link", "loopback", "--capabilities", Self.visaOnly]
    let run = try test([high, other] + options)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("NOT APPLICABLE 1 scenario: the terminal has no application for A0000000041010"))
    let list = try test([high, other, "--list", "--capabilities", Self.visaOnly])
    #expect(list.output.contains("high\n"), "\(list.output)")
    #expect(list.output.contains("other: not applicable: the terminal has no application"), "\(list.output)")
    let text = try String(contentsOfFile: Self.visaOnly, encoding: .utf8)
    let pin = try scratch.write("pin.yaml", text.replacing("[onDevice, none]", with: "[onlinePIN]"))
    let device = Fixtures.url("TerminalTests/Kernel3/device-verification.yaml").path
    let without = try test([device, "--link", "loopback", "--capabilities", pin])
    #expect(without.output.contains("the terminal has no verification method onDevice"), "\(without.output)")
    let setup = try test([device, "--setup", "--capabilities", pin])
    #expect(setup.output.contains("  onDevice: 1 scenario, MISSING\n  the terminal has onlinePIN"), "\(setup.output)")
    let junit = try test([high] + options + ["--format", "junit"])
    #expect(junit.output.contains("Reader with kernel 3 only") && junit.output.contains("2.11"), "\(junit.output)")
  }

  @Test func `--list says of each scenario why a run without capabilities or --destructive leaves it out`() throws {
    let files = [
      "TerminalTests/Kernel3/cvm-required-above", "TerminalTests/Kernel3/qualifiers",
      "TerminalTests/Values/number-random", "TerminalTests/Torn/within-a-response", "TerminalTests/Kernel3/emv-mode",
      "CardTests/Authentication/new-number", "Scenarios/Issuer/block-card",
    ].map { Fixtures.url("\($0).yaml").path }
    let lines = try test(files + ["--list"]).output.split(separator: "\n")
    let away = ": not applicable, except with --link loopback"
    let destructive = "the scenario spends many uses or may block the card: --destructive runs it"
    for (line, end) in zip(
      lines,
      [
        "\(away): the amount is relative to the CVM limit: --capabilities FILE names it",
        "\(away): the terminal's tag 9F66 is not known: --capabilities FILE names it",
        "\(away): the scenario needs 200 taps, more than 20: run it alone with --repeat 200",
        "\(away) and vpcd: the card leaves within a response", ": The terminal says that it takes EMV mode",
        ": not applicable: \(destructive)", ": not applicable, except with --reader loopback: \(destructive)",
      ])
    { #expect(line.hasSuffix(end), "\(line)") }
    #expect(lines.count == files.count)
    let all = try test([files[0], files[5], files[6], "--list", "--destructive", "--capabilities", Self.visaOnly])
    #expect(all.code == 0 && !all.output.contains("not applicable"), "\(all.output)")
  }

  @Test func `--setup prints what must be configured, and what the terminal lacks`() throws {
    let pack = Fixtures.url("TerminalTests").path
    let run = try test([pack, "--setup", "--capabilities", Self.visaOnly])
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("A0000000031010, kernel 3: "), "\(run.output)")
    #expect(run.output.contains("A0000000041010, kernel 2: ") && run.output.contains(", MISSING"), "\(run.output)")
    #expect(
      run.output.contains(
        """
        Terminal transaction qualifiers (tag 9F66)
          of A0000000031010, named in the capabilities: 1 scenario, present: 36004000
        """), "\(run.output)")
    #expect(run.output.contains("  byte 3 bit 7 set: "), "\(run.output)")
    #expect(run.output.contains("  the terminal has onDevice, none\n"), "\(run.output)")
    #expect(run.output.contains("CVM limit in EUR, named in the capabilities: 13 scenarios"), "\(run.output)")
    #expect(!run.output.contains("4761739001010010"), "\(run.output)")
  }

  @Test(arguments: [
    (["--setup", "--list"], "exclude each other"), (["--setup", "--link", "loopback"], "--setup takes none of"),
    (["--check", "--capabilities", "x"], "--capabilities needs --link"),
  ]) func `options that do not fit together are wrong usage`(_ options: [String], _ reason: String) throws {
    let run = try test([scratch.terminalScenario("plain", expect: "shown: approved")] + options)
    #expect(run.code == 64 && run.errors.contains(reason), "\(run.errors)")
  }

  @Test func `capabilities that are wrong are an error with all problems, before any tap`() throws {
    let file = try scratch.write("wrong.yaml", "product: x\ncolour: red\n")
    let run = try test([
      scratch.terminalScenario("plain", expect: "shown: approved"), "--link", "loopback", "--capabilities", file,
    ])
    #expect(run.code == 1 && run.errors.contains("\(file): the capabilities have 4 problems"), "\(run.errors)")
    #expect(run.errors.contains("line 2, column 1, $.colour: no such key"), "\(run.errors)")
  }
}
