import Documents
import Fixtures
import Foundation
import ISO7816
import JSON
import TestSupport
import Testing

@testable import TapScenarios

/// Reading scenarios that judge a card by steps: every key, and everything that is wrong, with line and column.
@Suite("Files of card tests")
struct CardTestParsingTests {
  static let whole = """
    role: terminal
    id: C-1
    name: All of it
    rule: EMV 4.4 Book 3, 10.2
    severity: warning
    finds: {fault: counter repeated, by: 9F36}
    destructive: true
    application: A000000003
    kernel: 3
    values: {9F02: "000000007500"}
    repeat: 2
    prompt: Unlock the phone.
    card: {file: card.json, verified: false}
    steps:
      - send: SELECT PPSE
        expect: {status: [9000, 61xx], tags: {84: present}, milliseconds: 100}
      - send: {command: GPO, cla: "00", ins: B2, p1: "01", p2: "02", data: "8300", le: none, values: {9F37: "01020304"}}
      - send: {bytes: "00 B2 01 0C 00"}
      - send: READ RECORD 3
      - reset: true
      - wait: 500
    expect:
      rules: [form of responses, track 2 data]
      tags: {9F6C: present}
      fresh: 9F26
      constant: [5A]
      rising: ATC
      distinct: RRP
      milliseconds: {GPO: 200, whole tap: 400}
    """

  @Test func `every key of a card test is kept`() throws {
    let scenario = try TapScenario(parsing: Array(Self.whole.utf8))
    let test = try #require(scenario.cardTest)
    #expect(scenario.terminalTest == nil && scenario.repeatCount == 2 && scenario.prompt == "Unlock the phone.")
    #expect(scenario.card.file == "card.json" && !scenario.card.isVerified)
    let identity = test.identity
    #expect(identity.id == "C-1" && identity.rule == "EMV 4.4 Book 3, 10.2" && identity.severity == .warning)
    #expect(identity.finding?.fault == "counter repeated" && identity.finding?.check == "9F36" && test.isDestructive)
    #expect(test.application == [0xA0, 0, 0, 0, 3] && test.kernel == 3)
    #expect(test.values == [0x9F02: [0, 0, 0, 0, 0x75, 0]])
    #expect(test.steps.count == 6 && test.steps[4].action == .reset && test.steps[5].action == .wait(500))
    let first = test.steps[0]
    #expect(first.action == .send(CardCommandForm.form(.selectDirectory)))
    #expect(first.expectations.statuses == ["9000", "61xx"] && first.expectations.longest == 100_000_000)
    var options = CardCommandForm.form(.processingOptions)
    (options.cla, options.ins, options.p1, options.p2) = (0x00, 0xB2, 0x01, 0x02)
    (options.data, options.le, options.values) = (
      [0x83, 0x00], CardCommandForm.ExpectedLength.none, [0x9F37: [1, 2, 3, 4]]
    )
    #expect(test.steps[1].action == .send(options))
    #expect(test.steps[2].action == .send(.form(.bytes([0x00, 0xB2, 0x01, 0x0C, 0x00]))))
    #expect(test.steps[3].action == .send(.form(.readRecord(3))))
    let expected = test.expectations
    #expect(expected.rules == [.form, .track] && expected.elements.count == 1 && expected.fresh == [0x9F26])
    #expect(expected.constant == [0x5A] && expected.rising == [0x9F36] && expected.distinct.count == 1)
    #expect(expected.budgets.map(\.nanoseconds) == [200_000_000] && expected.wholeTap == 400_000_000)
  }

  @Test func `everything that is wrong is reported at once, with its place`() {
    let text = """
      name: Wrong
      rule: none
      amount: 1.00
      application: A0
      destructive: perhaps
      values: {9F02: x, nothing: "00"}
      card: {verified: maybe}
      steps:
        - send: SELECT EVERYTHING
        - send: {command: GPO, bytes: "00"}
        - send: {bytes: "00A4", p1: "00"}
        - {send: GPO, reset: true}
        - reset: false
        - wait: 0
          expect: {status: 9000}
        - send: {command: GPO, le: "0000", cla: none}
          expect: {status: 90, tags: {9Z: present}, milliseconds: -1}
      expect: {rules: all, rising: nothing, distinct: SELECT ALL}
      """
    let error = #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array(text.utf8)) }
    let places = error?.problems.map { "\($0.position.line):\($0.position.column) \($0.path)" } ?? []
    #expect(
      places == [
        "1:1 $.id", "3:1 $.amount", "4:1 $.application", "5:1 $.destructive", "6:10 $.values.9F02",
        "6:19 $.values.nothing", "7:8 $.card.verified", "9:5 $.steps[0].send", "10:5 $.steps[1].send",
        "11:27 $.steps[2].send.p1", "12:5 $.steps[3]", "13:5 $.steps[4].reset", "14:5 $.steps[5].wait",
        "15:5 $.steps[5].expect", "16:26 $.steps[6].send.le", "16:38 $.steps[6].send.cla",
        "17:14 $.steps[6].expect.status", "17:33 $.steps[6].expect.tags.9Z",
        "17:47 $.steps[6].expect.milliseconds", "18:10 $.expect.rules", "18:22 $.expect.rising",
        "18:39 $.expect.distinct",
      ])
  }

  @Test func `a card that cannot be read is reported with the other problems`() throws {
    let text = "name: A\nid: A\nrule: none\nrepeat: 0\ncard: {file: nowhere.json}\nsteps: [{send: GPO}]\n"
    let scratch = try Scratch()
    let path = try scratch.write("wrong.yaml", text)
    let profile = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile(path, terminal: profile) }
    for place in ["line 4, column 1, $.repeat: ", "line 5, column 8, $.card.file: "] {
      #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `steps with the role of a card are refused`() {
    let text = "role: card\nid: X\nname: Both\nrule: none\nsteps: [{send: GPO}]\n"
    let error = #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array(text.utf8)) }
    #expect(error?.problems.contains { $0.path == "$.steps" && $0.position.line == 5 } == true)
  }
}

extension CardCommandForm {
  fileprivate static func form(_ kind: Kind) -> CardCommandForm { CardCommandForm(kind: kind) }
}
