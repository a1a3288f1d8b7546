import EMVTerminal
import ISO7816
import Octets
import PaymentAcceptance
import Testing

@testable import TapScenarios

/// The checks of a terminal's commands, with commands that no terminal of this project sends.
@Suite("Checks of a terminal")
struct TerminalCheckTests {
  typealias Step = TerminalExpectations.Step

  static let options = ("80A80000028300 00", "770A820200409404100101009000")

  /// Exchanges of one presentation, as hexadecimal commands and responses.
  static func exchanges(_ pairs: [(String, String)]) throws -> [Exchange] {
    var cryptograms = 0
    return try pairs.enumerated().map { index, pair in
      let command = try [UInt8](hex: pair.0.filter { $0 != " " })
      let name = TestedCommand.name(of: command, after: cryptograms)
      if command[1] == 0xAE { cryptograms += 1 }
      return Exchange(
        number: index + 1, tap: 1, phase: TransactionPhase(rawValue: name), command: command,
        response: try [UInt8](hex: pair.1), nanoseconds: 0)
    }
  }

  static let sequences: [(steps: [Step], commands: String, difference: Int?)] = [
    ([Step(names: ["A"], counts: 1...1)], "A", nil), ([Step(names: ["A"], counts: 1...1)], "", 0),
    ([Step(names: ["A"], counts: 1...1)], "A A", 1), ([Step(names: ["A", "B"], counts: 1...1)], "B", nil),
    ([Step(names: ["A"], counts: 0...2), Step(names: ["A"], counts: 1...1)], "A", nil),
    ([Step(names: ["A"], counts: 0...2), Step(names: ["A"], counts: 1...1)], "A A A", nil),
    ([Step(names: ["A"], counts: 0...2), Step(names: ["A"], counts: 1...1)], "A A A A", 3),
    ([Step(names: ["A"], counts: 2...3), Step(names: ["B"], counts: 1...1)], "A B", 1),
    ([Step(names: ["A"], counts: 0...1), Step(names: ["B"], counts: 0...1)], "", nil),
  ]

  @Test(arguments: sequences) func `a sequence takes alternatives and numbers, and names the first difference`(
    _ row: (steps: [Step], commands: String, difference: Int?)
  ) {
    let names = row.commands.split(separator: " ").map(String.init)
    #expect(ExpectedSequence(row.steps).difference(in: names)?.index == row.difference)
  }

  @Test(arguments: [
    ("00B2011400", []), ("00B2011500", ["P1-P2 of READ RECORD: expected 0114, got 0115"]),
    ("80B2011400", ["class of READ RECORD: expected 00, got 80"]),
    ("00B2011410", ["Le of READ RECORD: expected 00, got 10"]),
    ("00B20114", ["Le of READ RECORD: expected 00, got no Le"]),
    ("80A8010002830000", ["P1-P2 of GET PROCESSING OPTIONS: expected 0000, got 0100"]),
    ("80A8000000", ["Lc of GET PROCESSING OPTIONS: expected data, got 0 bytes"]),
    ("0082000008 1122334455667788", []),
    ("8482000008 1122334455667788", []),
    ("8082000008 1122334455667788", ["class of EXTERNAL AUTHENTICATE: expected 00, got 80"]),
    ("0082000108 1122334455667788", ["P1-P2 of EXTERNAL AUTHENTICATE: expected 0000, got 0001"]),
    ("0082000008 1122334455667788 00", ["Le of EXTERNAL AUTHENTICATE: expected no Le, got 00"]),
    ("00820000", ["Lc of EXTERNAL AUTHENTICATE: expected data, got 0 bytes"]),
    ("80D000000411223344 00", []), ("80D000010411223344 00", ["P1-P2 of RECOVER AC: expected 0000, got 0001"]),
  ]) func `a command has the class, P1-P2, Lc and Le of its kind`(_ command: String, _ expected: [String]) throws {
    let failures = try TerminalRule.form.failures(in: Self.exchanges([(command, "9000")]))
    #expect(failures.map { "\($0.element): expected \($0.expected), got \($0.got)" } == expected)
  }

  @Test(arguments: [
    (["00B2011400"], true), (["00B2011400", "00B2011400"], false), (["00B2011C00"], false), ([], false),
  ]) func `each record of the AFL is read once`(_ reads: [String], _ isRight: Bool) throws {
    let exchanges = try Self.exchanges([Self.options] + reads.map { ($0, "70009000") })
    #expect(TerminalRule.records.failures(in: exchanges).isEmpty == isRight)
  }

  @Test func `after a refused record the others need not be read`() throws {
    let options = ("80A80000028300 00", "770E8202004094081001010018010100 9000".filter { $0 != " " })
    let exchanges = try Self.exchanges([options, ("00B2011400", "6A83")])
    #expect(TerminalRule.records.failures(in: exchanges).isEmpty)
  }

  /// A locator with two records, and commands and responses after it.
  @Test(arguments: [
    ([("00B2011400", "6104"), ("00C0000004", "700100009000"), ("00B2021400", "70009000")], true),
    ([("00B2011400", "6104"), ("00C0000004", "700100009000")], false),
    ([("00B2011400", "6C04"), ("00B2011404", "70009000"), ("00B2021400", "70009000")], true),
    ([("00B2011400", "6C04"), ("00B2011404", "70009000")], false),
    ([("00B2011400", "6104"), ("00C0000004", "6A83")], true), ([("00B2011400", "6C04")], true),
  ]) func `a record that comes in parts or after a corrected length excuses no later record`(
    _ reads: [(String, String)], _ isRight: Bool
  ) throws {
    let options = ("80A80000028300 00", "770A82022000940410010200 9000".filter { $0 != " " })
    let exchanges = try Self.exchanges([("80A80000028300 00", "6C0E"), options] + reads)
    #expect(TerminalRule.records.failures(in: exchanges).isEmpty == isRight)
  }

  @Test func `processing options in parts are judged like whole ones`() throws {
    let options = [("80A80000028300 00", "770A820220006107"), ("00C0000007", "9404100102009000")]
    #expect(TerminalRule.records.failures(in: try Self.exchanges(options)).count == 1)
  }

  @Test func `RECOVER AC is a command that a sequence can name`() throws {
    let names = try Self.exchanges([("80D000000411223344 00", "6985")]).map(\.phase)
    #expect(names == [.recoverCryptogram])
  }

  @Test func `a scenario that asks what was shown is not judged without an answer, and fails for another result`() {
    var expectations = TerminalExpectations()
    expectations.shown = [.approved]
    var check = TerminalCheck(expectations)
    #expect(check.lacksObservation(TerminalTap(exchanges: [])))
    #expect(check.failures(in: TerminalTap(exchanges: [])).isEmpty)
    let seen = TerminalTap(exchanges: [], shown: .seePhone)
    #expect(!check.lacksObservation(seen))
    #expect(check.failures(in: seen).map(\.description) == ["shown: expected approved, got see phone"])
  }

  /// Two exchanges of 20 ms each with 80 ms between them, at a link with a share of the time, or an unknown one.
  @Test(arguments: [
    (Duration?.none, ["time before READ RECORD: at most 75.000 ms, 80.000 ms"]), (.milliseconds(10), []),
    (.milliseconds(4), ["time before READ RECORD: at most 75.000 ms, 76.000 ms"]),
  ]) func `the time between a response and the next command is judged without the share of the link`(
    _ share: Duration?, _ expected: [String]
  ) throws {
    var expectations = TerminalExpectations()
    let commands = try #require(CommandSelector("READ RECORD"))
    expectations.budgets = [TimeBudget(commands: commands, nanoseconds: 75_000_000)]
    expectations.wholeTap = 80_000_000
    var tap = TerminalTap(exchanges: Self.late)
    tap.linkShare = share
    let failures = TerminalCheck(expectations).lateness(in: tap)
    #expect(failures.map { "\($0.element): \($0.expected), \($0.got)" } == expected)
    expectations.wholeTap = 69_000_000
    #expect(TerminalCheck(expectations).lateness(in: tap).last?.element == "time of the whole tap")
  }

  private static let late = [0, 100].enumerated().map { index, begun in
    Exchange(
      number: index + 1, tap: 1, phase: index == 0 ? .processingOptions : .readRecords, command: [0x00, 0xB2],
      response: [0x90, 0x00], begun: Instant(nanoseconds: begun * 1_000_000), nanoseconds: 20_000_000)
  }

  @Test(arguments: [(Duration?.none, "warning"), (.zero, "failed")])
  func `a slow terminal fails where the share of the link is known, and gets a warning elsewhere`(
    _ share: Duration?, _ verdict: String
  ) async throws {
    let file = try #require(PackFolder.terminal.filesByID()["TTM-01"])
    var late = TerminalTap(exchanges: Self.late.map { $0 })
    late.exchanges[1] = Exchange(
      number: 2, tap: 1, phase: .readRecords, command: [0x00, 0xB2], response: [0x90, 0x00],
      begun: Instant(nanoseconds: 900_000_000), nanoseconds: 0)
    late.linkShare = share
    let tap = late
    let ledger = ScenarioLedger([ScenarioSeries(file, count: 1)])
    await ScenarioRunner(.terminal { _, _ in { _ in tap } }).run([(file, 1)], into: ledger)
    #expect(ledger.close()?.first?.runs.map(\.verdict.name) == [verdict])
  }

  @Test func `a scenario with more taps than a person is asked for does not apply`() async throws {
    let file = try #require(PackFolder.terminal.filesByID()["VAL-15"])
    let ledger = ScenarioLedger([ScenarioSeries(file, count: 200)])
    var options = ScenarioRunner.Options()
    options.mostTaps = 20
    await ScenarioRunner(.terminal { _, _ in { _ in throw SkippedTap() } }, options).run([(file, 200)], into: ledger)
    let run = ledger.close()?.first?.runs.first
    #expect(run?.verdict.name == "not applicable")
    #expect(run?.verdict.sentences == ["the scenario needs 200 taps, more than 20: run it alone with --repeat 200"])
  }

  @Test func `a number that counts up is found at the 200th value, and a random one is not`() {
    func values(_ number: (UInt32) -> UInt32) -> Set<[UInt8]> {
      Set((0..<200).map { index in (0..<4).map { UInt8(truncatingIfNeeded: number(index) >> (24 - 8 * $0)) } })
    }
    let bias = BitFrequency.bias(in: values { 0x1234_0000 + $0 })
    #expect(bias == BitFrequency.Bias(octet: 1, bit: 8, found: 0, allowed: 65...135))
    var state: UInt64 = 1
    let random = values { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt32(truncatingIfNeeded: state >> 32)
    }
    #expect(BitFrequency.bias(in: random) == nil)
  }

  @Test(arguments: [("6E00", true), ("6C10", true), ("6985", false), ("9000", false)])
  func `a command that never came is not judged after the card has refused the form of an earlier one`(
    _ status: String, _ isRefused: Bool
  ) throws {
    var expectations = TerminalExpectations()
    let commands = try #require(CommandSelector("READ RECORD"))
    expectations.forms = [TerminalExpectations.Form(commands: commands, pattern: "00B2")]
    var check = TerminalCheck(expectations)
    let tap = TerminalTap(exchanges: try Self.exchanges([("00A8000002830000", status)]))
    #expect(check.failures(in: tap).isEmpty == isRefused)
    #expect(check.gap(in: tap)?.contains("the card refused the form of exchange 1") == (isRefused ? true : nil))
  }

  @Test func `records are not judged when the card has refused the form of GET PROCESSING OPTIONS`() throws {
    var expectations = TerminalExpectations()
    expectations.rules = [.records]
    var check = TerminalCheck(expectations)
    let refused = ("80A8000002830000", "6700")
    let unread = TerminalTap(exchanges: try Self.exchanges([refused]))
    #expect(check.failures(in: unread).isEmpty)
    #expect(check.gap(in: unread)?.contains("the card refused the form of exchange 1") == true)
    let read = TerminalTap(exchanges: try Self.exchanges([refused, Self.options, ("00B2011400", "70009000")]))
    #expect(check.failures(in: read).isEmpty && check.gap(in: read) == nil)
  }
}
