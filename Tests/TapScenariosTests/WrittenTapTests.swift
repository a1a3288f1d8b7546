import Documents
import EMVData
import EMVTerminal
import Links
import Octets
import TapScenarios
import Testing

@testable import PaymentAcceptance

/// Expectations against taps written by hand: times to the nanosecond, and answers that no card of ours gives.
@Suite("Expectations against written taps")
struct WrittenTapTests {
  typealias Step = (phase: TransactionPhase, command: String, response: String?, nanoseconds: Int64, tap: Int)

  static func failures(_ expect: String, _ steps: [Step]) throws -> [String] {
    let exchanges = try steps.enumerated().map { index, step in
      Exchange(
        number: index + 1, tap: step.tap, phase: step.phase, command: try [UInt8](hex: step.command),
        response: try step.response.map { try [UInt8](hex: $0) }, nanoseconds: step.nanoseconds)
    }
    let euro = try #require(Currency(numericCode: "978", alphabeticCode: "EUR", exponent: 2))
    let request = PaymentRequest(
      amount: try Amount("1.00", exponent: 2), currency: euro,
      date: try #require(TransactionDate(year: 2026, month: 1, day: 31)),
      time: try #require(TransactionTime(hour: 9, minute: 5, second: 0)))
    let tap = AcceptanceFailure(
      cause: .link(LinkError(.cardRemoved, "gone")), outcome: nil, failures: [],
      record: PaymentRecord(request: request, restartLimit: 0, exchanges: exchanges))
    let text = "{name: a, amount: 1.00, currency: EUR, expect: {\(expect)}}"
    let scenario = try TapScenario(parsing: Array(text.utf8))
    return ScenarioCheck(scenario.expectations).failures(in: .failure(tap)).map(\.description)
  }

  static func record(_ data: String, after nanoseconds: Int64 = 1_500_000, tap: Int = 1) -> Step {
    let count = UInt8(data.count / 2).hex
    return (.readRecords, "00B2010C00", "70\(count)\(data)9000", nanoseconds, tap)
  }

  static let times: [(expect: String, failures: [String])] = [
    ("milliseconds: {READ RECORD 1: 1.5}", []),
    (
      "milliseconds: {READ RECORD: 1.499999}",
      [
        "exchange 1, READ RECORD: time: expected at most 1.499 ms, got 1.500 ms",
        "exchange 2, READ RECORD: time: expected at most 1.499 ms, got 12.007 ms",
      ]
    ),
    ("milliseconds: {READ RECORD 2: 12.007}", []),
    ("milliseconds: {every command: 12.007, exchange 1: 1.5}", []), ("milliseconds: {whole tap: 13.507}", []),
    (
      "milliseconds: {whole tap: 13.506999}",
      ["time of the whole tap: expected at most 13.506 ms, got 13.507 ms"]
    ),
    ("milliseconds: {GPO: 1}", ["time of GET PROCESSING OPTIONS: expected at most 1.000 ms, got no such exchange"]),
  ]

  @Test(arguments: times.indices)
  func `a budget is kept to the nanosecond`(_ row: Int) throws {
    let steps = [Self.record("5F340101"), Self.record("5F340101", after: 12_007_000)]
    #expect(try Self.failures(Self.times[row].expect, steps) == Self.times[row].failures)
  }

  @Test func `every command of no command is in time`() throws {
    #expect(try Self.failures("milliseconds: {every command: 1, whole tap: 1}", []) == [])
  }

  static let commands: [Step] = [
    (.readRecords, "00B2010C00", "70055F346105", 1, 1), (.readRecords, "00C0000005", "0102C000009000", 1, 1),
    (.readRecords, "00B2020C00", "6A83", 1, 1), (.relayResistance, "80EA0000", "6700", 1, 1),
    (.generateCryptogram, "80AE8000", "6985", 1, 1), (.computeChecksum, "802A8E80", "6986", 1, 1),
  ]

  @Test(arguments: [
    "READ RECORD 1: 61xx", "READ RECORD 2: 6A83", "GET RESPONSE: 9000", "exchange 2: 9000", "RRP: 6700",
    "gen ac: 6985",
    "CCC: 6986", "every command: [61xx, 9000, 6A83, 6700, 6985, 6986]",
  ])
  func `commands are selected by name, short name, occurrence and number`(_ status: String) throws {
    #expect(try Self.failures("status: {\(status)}", Self.commands) == [])
    let name = String(status.prefix { $0 != ":" })
    #expect(try !Self.failures("status: {\(name): 6FFF}", Self.commands).isEmpty)
  }

  /// The data of the record, the expectation, and the end of the failure's sentence.
  static let elements: [(data: String, expect: String, sentence: String?)] = [
    ("9F5D03210000", "9F5D.version: 2, 9F5D.data storage version: 1", nil),
    ("9F5D03210000", "9F5D.version: 1", "expected 1, got 2 in 210000"),
    ("9F5D0121", "9F5D.standalone data storage scheme: 1", "expected 1, got 1 byte"),
    ("9F36020102", "9F36: {equals: 01, mask: FF}", "expected 01 under the mask FF, got 0102"),
    ("9F36020102", "9F36: {equals: 0100, mask: FF00, length: 2}", nil),
    ("5F340105", "PSN: 05", nil), ("9F370411223344", "UN: 11223344", nil), ("5F340105", "UN: absent", nil),
    ("9F6C028000", "CTQ.byte 1 bit 8: true, CTQ.byte 2 bit 8: false", nil),
    ("9F6C020001", "CTQ.byte 2 bit 1: true, CTQ.byte 2 bit 8: false", nil),
    ("DF7F084761739001010010", "DF7F: 00", "got (8 bytes)"),
    ("DF7F03010203", "DF7F: 00", "expected 00, got 010203"),
  ]

  @Test(arguments: elements.indices)
  func `elements, their bits and groups of bits`(_ row: Int) throws {
    let (data, expect, sentence) = Self.elements[row]
    let failures = try Self.failures("tags: {\(expect)}", [Self.record(data)])
    #expect(failures.count == (sentence == nil ? 0 : 1), "\(failures)")
    if let sentence { #expect(failures.first?.hasSuffix(sentence) == true, "\(failures)") }
  }

  @Test func `the card's last value counts, a response in parts is read as a whole, and each tap is read by itself`()
    throws
  {
    let twice = [Self.record("9F36020001"), Self.record("9F36020002", tap: 2)]
    #expect(try Self.failures("tags: {ATC: 0002}", twice) == [])
    let parts: [Step] = [
      (.readRecords, "00B2010C00", "700A9F366104", 1, 1), (.readRecords, "00C0000004", "0200016103", 1, 1),
      (.readRecords, "00C0000003", "5F3401079000", 1, 1),
    ]
    #expect(try Self.failures("tags: {ATC: 0001, PSN: 07}", parts) == [])
    let torn: [Step] = [parts[0], (.readRecords, "00C0000004", "5F3401079000", 1, 2)]
    #expect(try Self.failures("tags: {ATC: absent}", torn) == [])
  }

  @Test func `a cryptogram is one with its kind and its value`() throws {
    let answer = { (data: String) -> [Step] in [Self.record(data)] }
    #expect(try Self.failures("cryptogram: ARQC", answer("9F2701809F26081122334455667788")) == [])
    #expect(try Self.failures("cryptogram: TC", answer("9F2701409F26081122334455667788")) == [])
    #expect(try Self.failures("cryptogram: none", answer("9F270180")) == [])
    #expect(try Self.failures("cryptogram: CVC3", answer("9F61021234")) == [])
  }

  @Test func `an account number in a scenario is masked, also under a mask`() throws {
    let expect = "tags: {5A: {equals: 4000001234562009, mask: FFFFFFFFFFFFFFFF}}"
    let failures = try Self.failures(expect, [Self.record("5A084761739001010010")])
    #expect(failures.count == 1)
    for number in ["4000001234562009", "4761739001010010"] { #expect(!failures[0].contains(number)) }
  }

  static let refused: [(expect: String, problem: String)] = [
    ("status: {every command 2: 9000}", "no such command"), ("status: {exchange: 9000}", "no such command"),
    ("status: {exchange 0: 9000}", "no such command"), ("status: {GPO: 90YY}", "no status word"),
    ("tags: {CTQ.byte 0 bit 1: true}", "has no bit"), ("tags: {CTQ.byte 256 bit 1: true}", "has no bit"),
    ("tags: {CTQ.byte 1 bit 0: true}", "has no bit"), ("tags: {CTQ.byte 1 bit 9: true}", "has no bit"),
    ("tags: {CTQ.word 1 part 1: true}", "has no bit"), ("tags: {CTQ.byte 1 bit 1: 'true'}", "true or false"),
    ("tags: {9F27: {equals: 80, mask: 8000}}", "as many bytes"), ("outcome: []", "the list is empty"),
    ("application: A00000", "5 to 16 bytes"), ("application: 'A0000000031010101010101010101010FF'", "5 to 16 bytes"),
    ("milliseconds: {GPO: 600000.000001}", "up to 600000"), ("exchanges: {least: 5, most: 4}", "\"least\" is 5"),
    ("exchanges: 1025", "the range is 0...1024"), ("reason: \"a\\u0007b\"", "a text of 1 to 1000"),
  ]

  @Test(arguments: refused.indices)
  func `an expectation that no tap can meet is refused`(_ row: Int) {
    let (expect, problem) = Self.refused[row]
    let text = "{name: a, amount: 1.00, currency: EUR, expect: {\(expect)}}"
    let error = #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array(text.utf8)) }
    #expect(error?.problems.first?.reason.contains(problem) == true, "\(expect): \(error?.description ?? "")")
  }

  @Test func `a key that is left out has its default; a quoted word is text`() throws {
    let text = "{name: 'true', description: d, amount: '1.00', currency: EUR, expect: {exchanges: {most: 9}}}"
    let scenario = try TapScenario(parsing: Array(text.utf8))
    #expect(scenario.name == "true" && scenario.description == "d")
    #expect(scenario.issuer == .test && scenario.card.isVerified && !scenario.card.isFaulty)
    #expect(scenario.repeatCount == 1 && scenario.restarts == 0 && scenario.timeout == nil)
    #expect(scenario.expectations.exchangeCount == 0...9)
    let least = "{name: a, amount: 1.00, currency: EUR, expect: {exchanges: {least: 1024}, application: A000000003}}"
    #expect(try TapScenario(parsing: Array(least.utf8)).expectations.exchangeCount == 1024...1024)
  }
}
