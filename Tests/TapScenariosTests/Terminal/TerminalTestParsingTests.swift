import Documents
import Fixtures
import Foundation
import ISO7816
import TapScenarios
import TestSupport
import Testing

/// Reading scenarios that judge a terminal: every key, and everything that is wrong, with line and column.
@Suite("Files of terminal tests")
struct TerminalTestParsingTests {
  static let whole = """
    role: card
    id: T-1
    name: All of it
    rule: EMV 4.4 Book 3, 10.2
    severity: warning
    finds: {fault: record read twice, by: records of the AFL}
    amount: [1.00, 2.00]
    currency: EUR
    card:
      file: card.json
      changes:
        applications[0].priority: 2
        applications[0].label:
      wire:
        - {when: {command: READ RECORD, tag: "5F24"}, what: {kind: value, value: "00"}, times: 1}
      policy: userPresence
      verified: false
      leavesAfter: 3
      comesBack: false
    expect:
      commands:
        - SELECT PPSE
        - [SELECT AID, READ RECORD]
        - {GENERATE AC: {least: 0, most: 2}}
      exchanges: {most: 9}
      presentations: 2
      applications: A0000000031010
      rules: [form of commands, nothing after an AAC]
      bytes: {GPO: "80 A8 xx 00"}
      tags: {9F02: entered, 9F37: {length: 4}}
      fresh: UN
      shown: [see phone, other card]
    """

  @Test func `every key of a terminal test is kept`() throws {
    let scenario = try TapScenario(parsing: Array(Self.whole.utf8))
    let test = try #require(scenario.terminalTest)
    let identity = test.identity
    #expect(identity.id == "T-1" && identity.rule == "EMV 4.4 Book 3, 10.2" && identity.severity == .warning)
    #expect(identity.finding?.fault == "record read twice" && identity.finding?.check == "records of the AFL")
    #expect(test.amounts == ["1.00", "2.00"] && scenario.amount == "1.00")
    let card = test.card
    #expect(card.file == "card.json" && "\(card.policy)" == "userPresence" && !card.isVerified)
    #expect(card.leavesAfter == 3 && !card.comesBack && card.plan != nil)
    #expect(card.changes.map(\.path) == ["applications[0].priority", "applications[0].label"])
    #expect(card.changes.map { $0.value == nil } == [false, true])
    let expected = test.expectations
    #expect(expected.sequence.map(\.names) == [["SELECT PPSE"], ["SELECT AID", "READ RECORD"], ["GENERATE AC"]])
    #expect(expected.sequence.map(\.counts) == [1...1, 1...1, 0...2])
    #expect(expected.exchangeCount == 0...9 && expected.presentations == 2...2)
    #expect(expected.applications.count == 1 && expected.rules == [.form, .declineIsFinal])
    #expect(expected.forms.map(\.pattern) == ["80A8XX00"])
    #expect(expected.entered == [0x9F02] && expected.elements.count == 1 && expected.fresh == [0x9F37])
    #expect(expected.shown == [.seePhone, .otherCard])
  }

  @Test func `the moves of a card, its verification and the times of a terminal are kept`() throws {
    let moves = Self.whole.replacing("verified: false", with: "verification: expired")
      .replacing("comesBack: false", with: "leavesAfterByte: 20\n  comesBackAfter: 1500")
      .replacing("fresh: UN", with: "milliseconds: {GPO: 100, whole tap: 250}")
    let test = try #require(try TapScenario(parsing: Array(moves.utf8)).terminalTest)
    let card = test.card
    #expect(card.isVerified && card.isExpired && card.leavesAfterOctets == 20 && card.comesBackAfter == 1500)
    #expect(test.expectations.budgets.map(\.nanoseconds) == [100_000_000])
    #expect(test.expectations.wholeTap == 250_000_000)
    let again = Self.whole.replacing("  verified: false\n", with: "").replacing("  leavesAfter: 3\n", with: "")
      .replacing("comesBack: false", with: "tapsAgainAfter: 800")
      .replacing("9F02: entered", with: "9F66: configured")
    let second = try #require(try TapScenario(parsing: Array(again.utf8)).terminalTest)
    #expect(second.card.tapsAgainAfter == 800 && second.expectations.isConfigured)
  }

  @Test func `moves of a card that exclude each other are problems at their lines`() {
    let text = Self.whole.replacing("leavesAfter: 3", with: "leavesAfterByte: 1")
      .replacing("comesBack: false", with: "comesBackAfter: 0\n  tapsAgainAfter: 5\n  verification: expired")
      .replacing("9F02: entered", with: "9F02: configured")
    let problems = Self.problems(text)
    for start in [
      "$.card.leavesAfterByte: 1: the range is 2...255",
      "$.card.leavesAfterByte: \"leavesAfterByte\" needs \"leavesAfter\"",
      "$.card.comesBackAfter: 0: the range is", "$.card.comesBackAfter: \"comesBackAfter\" needs \"leavesAfter\"",
      "$.card.tapsAgainAfter: \"tapsAgainAfter\" needs a verified card",
      "$.card.verification: a verification that has expired needs a verified card",
      "$.expect.tags.9F02: \"configured\" is understood for 9F66",
    ] { #expect(problems.contains { $0.contains(start) }, "\(start) is not in \(problems)") }
  }

  @Test func `everything that is wrong is reported at once, with its place`() {
    let text = """
      role: card
      name: Wrong
      severity: fatal
      finds: {fault: x}
      amount: 1.00
      currency: EUR
      card:
        policy: none
        verified: maybe
        comesBack: true
        wire: [{what: {kind: value}}]
      expect:
        commands: [SELECT, {GPO: 1, READ RECORD: 2}]
        bytes: {GPO: 8}
        rules: everything
        tags: {9F37: entered}
        fresh: nothing
        shown: blue
      """
    let problems = Self.problems(text)
    let expected = [
      "line 1, column 1, $.id: text is missing", "line 1, column 1, $.rule: text is missing",
      "line 3, column 1, $.severity: \"fatal\" is not one of failure, warning",
      "line 4, column 1, $.finds.by: text is missing", "line 7, column 1, $.card.file: text is missing",
      "line 8, column 3, $.card.policy: ", "line 9, column 3, $.card.verified: true or false is needed, not \"maybe\"",
      "line 10, column 3, $.card.comesBack: \"comesBack\" needs \"leavesAfter\"",
      "line 11, column 11, $.card.wire[0].what.value: value needs it",
      "line 13, column 14, $.expect.commands[0]: \"SELECT\" is not one of",
      "line 13, column 22, $.expect.commands[1]: one command with its number is needed",
      "line 14, column 11, $.expect.bytes.GPO: \"8\" is no pattern of bytes",
      "line 15, column 3, $.expect.rules: \"everything\" is not one of records of the AFL",
      "line 16, column 10, $.expect.tags.9F37: \"entered\" is understood for",
      "line 17, column 3, $.expect.fresh: no such data element",
      "line 18, column 3, $.expect.shown: \"blue\" is not one of",
    ]
    for start in expected { #expect(problems.contains { $0.hasPrefix(start) }, "\(start) is not in \(problems)") }
  }

  @Test func `each wrong amount of a list is reported at its place, with the other problems`() throws {
    let text = """
      role: card
      id: A
      name: A
      rule: none
      amount: [1.00, x, 1.234, -1]
      currency: EUR
      card: {file: nowhere.json}
      expect: {exchanges: 1}
      """
    let scratch = try Scratch()
    let path = try scratch.write("wrong.yaml", text)
    let profile = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile(path, terminal: profile) }
    let lines = (error?.description.split(separator: "\n") ?? []).dropFirst().map { $0.drop { $0 == " " } }
    let expected = [
      "line 5, column 16, $.amount[1]: ", "line 5, column 19, $.amount[2]: the amount has 3 decimals",
      "line 5, column 26, $.amount[3]: ", "line 7, column 8, $.card.file: ",
    ]
    #expect(lines.count == expected.count, "\(lines)")
    for (line, start) in zip(lines, expected) { #expect(line.hasPrefix(start), "\(line)") }
  }

  @Test func `the methods of verification that a terminal needs are kept`() throws {
    let text = Self.whole.replacing("severity: warning", with: "needs: [onDevice, onlinePIN]")
    #expect(try TapScenario(parsing: Array(text.utf8)).terminalTest?.needs == [.onDevice, .onlinePIN])
    let wrong = Self.whole.replacing("severity: warning", with: "needs: finger")
    #expect(
      Self.problems(wrong).first?.hasPrefix("line 5, column 1, $.needs: \"finger\" is not one of onDevice") == true)
  }

  @Test func `the keys of a terminal test are unknown in a scenario that judges a card`() {
    let text = "name: A\namount: 1.00\ncurrency: EUR\nid: A\nexpect: {exchanges: 1}\n"
    #expect(Self.problems(text).first?.hasPrefix("line 4, column 1, $.id: no such key") == true)
  }

  @Test func `a change that does not compile, and one that changes nothing, are problems at their lines`() throws {
    let folder = try Scratch()
    let path = folder.path("wrong.yaml")
    let card = Fixtures.url("Cards/visa-cvn18.json").path
    let text = """
      role: card
      id: A
      name: A
      rule: none
      amount: 1.00
      currency: EUR
      card:
        file: \(card)
        changes:
          applications[0].aip: "00"
          applications[0].priority: 1
      expect: {exchanges: 1}
      """
    _ = try folder.write("wrong.yaml", text)
    let profile = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile(path, terminal: profile) }
    let lines = error?.description.split(separator: "\n").map { $0.drop { $0 == " " } } ?? []
    #expect(lines.contains { $0.hasPrefix("line 10, column 5, $.card.changes.applications[0].aip: ") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("line 11, column 5, $.card.changes.applications[0].priority: the change") })
  }

  private static func problems(_ text: String) -> [String] {
    do throws(ScenarioError) {
      _ = try TapScenario(parsing: Array(text.utf8))
      return []
    } catch { return error.problems.map(\.description) }
  }
}
