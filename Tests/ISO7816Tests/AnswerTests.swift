import ISO7816
import Octets
import Testing

@Suite("Answers to reset and to select")
struct AnswerTests {
  struct Real: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let hex: String
    let protocols: [Int]
    let historical: String
    let interface: [String]
  }

  /// Responses of real cards from public card lists.
  static let real = [
    Real(
      testDescription: "Visa card, T=0 without TD1, so without TCK", hex: "3B6500002063CB6800", protocols: [0],
      historical: "2063CB6800", interface: ["TB1=00", "TC1=00"]),
    Real(
      testDescription: "SIM with T=0 and the global T=15, so with TCK",
      hex: "3B9F96801FC78031A073BE21136743200718000001A5", protocols: [0], historical: "8031A073BE21136743200718000001",
      interface: ["TA1=96", "TD1=80", "TD2=1F", "TA3=C7"]),
    Real(
      testDescription: "JCOP 2.4.1, T=1", hex: "3BF81300008131FE454A434F5076323431B7", protocols: [1],
      historical: "4A434F5076323431",
      interface: ["TA1=13", "TB1=00", "TC1=00", "TD1=81", "TD2=31", "TA3=FE", "TB3=45"]),
    Real(
      testDescription: "MIFARE Classic 1K as PC/SC describes it", hex: "3B8F8001804F0CA000000306030001000000006A",
      protocols: [0, 1], historical: "804F0CA00000030603000100000000", interface: ["TD1=80", "TD2=01"]),
    Real(
      testDescription: "contactless card without historical bytes", hex: "3B80800101", protocols: [0, 1],
      historical: "",
      interface: ["TD1=80", "TD2=01"]),
    Real(
      testDescription: "contactless card with one historical byte", hex: "3B8180018080", protocols: [0, 1],
      historical: "80", interface: ["TD1=80", "TD2=01"]),
    Real(
      testDescription: "nothing but the two first characters", hex: "3F00", protocols: [0], historical: "",
      interface: []),
  ]

  @Test(arguments: real)
  func `real answers to reset are read`(_ real: Real) throws {
    let octets = try [UInt8](hex: real.hex)
    let answer = try AnswerToReset(parsing: octets)
    #expect(answer.octets == octets)
    #expect(answer.protocols == real.protocols)
    #expect(try answer.historicalBytes == [UInt8](hex: real.historical))
    #expect(answer.interfaceCharacters.map { "\($0.name)=\($0.value.hex)" } == real.interface)
  }

  @Test(arguments: real)
  func `a wrong check character is detected for every bit`(_ real: Real) throws {
    var octets = try [UInt8](hex: real.hex)
    guard octets.reduce(0, ^) == octets[0], octets.count > 2 else { return }
    for bit in 0..<8 {
      octets[octets.count - 1] ^= 1 << bit
      let expected = AnswerToReset.Fault.wrongCheckCharacter(remainder: 1 << bit)
      #expect(throws: expected) { try AnswerToReset(parsing: octets) }
      octets[octets.count - 1] ^= 1 << bit
    }
  }

  static let broken: [(String, AnswerToReset.Fault)] = [
    ("", .octets(OctetsError(.truncated(needed: 1, available: 0), at: 0))),
    ("3B", .octets(OctetsError(.truncated(needed: 1, available: 0), at: 1))),
    ("3A00", .initialCharacter(0x3A)), ("00", .initialCharacter(0x00)), ("03", .initialCharacter(0x03)),
    // Historical and interface characters cut off, and bytes left over.
    ("3B02AA", .octets(OctetsError(.truncated(needed: 2, available: 1), at: 2))),
    ("3B10", .octets(OctetsError(.truncated(needed: 1, available: 0), at: 2))),
    ("3B8080", .octets(OctetsError(.truncated(needed: 1, available: 0), at: 3))),
    ("3B00AA", .octets(OctetsError(.trailing(count: 1), at: 2))),
    // T=1 without its check character, and with one byte too many.
    ("3B8101AA", .octets(OctetsError(.truncated(needed: 1, available: 0), at: 4))),
    ("3B8001818180", .octets(OctetsError(.trailing(count: 2), at: 4))),
    (
      "3B8F8001804F0CA000000306030001000000006A3B8F8001804F0CA00000030603",
      .octets(OctetsError(.trailing(count: 13), at: 20))
    ),
    (String(repeating: "3B", count: 34), .tooLong(count: 34)),
  ]

  @Test(arguments: broken)
  func `bytes that are not an answer to reset are an error at their offset`(
    _ hex: String, _ expected: AnswerToReset.Fault
  ) throws {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try AnswerToReset(parsing: octets) }
    #expect(!expected.description.isEmpty)
  }

  @Test func `an endless chain of interface characters ends with the input`() {
    let octets = [0x3B, 0x80] + [UInt8](repeating: 0x80, count: 31)
    #expect(throws: AnswerToReset.Fault.octets(OctetsError(.truncated(needed: 1, available: 0), at: 33))) {
      try AnswerToReset(parsing: octets)
    }
  }

  @Test(arguments: 0...16)
  func `the answer to reset of a contactless card is written and read back`(_ count: Int) throws {
    let history = (0..<count).map { UInt8($0 + 1) }
    let octets = AnswerToReset.contactless(historicalBytes: history)
    let answer = try AnswerToReset(parsing: octets)
    #expect(answer.historicalBytes == Array(history.prefix(15)))
    #expect(answer.protocols == [0, 1])
  }

  @Test func `random bytes never trap`() {
    let source = SeededRandomSource(seed: 816)
    for count in 0..<20_000 {
      _ = try? AnswerToReset(parsing: [0x3B] + source.octets(count % 36))
      _ = try? AnswerToSelect(parsing: ([UInt8(count % 21)] + source.octets(count % 20)).span)
    }
  }

  struct Select: Sendable, CustomTestStringConvertible {
    let hex: String
    let frame: Int
    let waiting: Int
    let historical: String
    var testDescription: String { hex }
  }

  static let selects = [
    // A phone, recorded on the air during a payment.
    Select(hex: "0578807002", frame: 256, waiting: 7, historical: ""),
    // TL alone, and TL with T0 alone.
    Select(hex: "01", frame: 32, waiting: 4, historical: ""),
    Select(hex: "0200", frame: 16, waiting: 4, historical: ""),
    // DESFire and a card with historical bytes.
    Select(hex: "067577810280", frame: 64, waiting: 8, historical: "80"),
    Select(hex: "0520000102", frame: 16, waiting: 0, historical: "0102"),
    Select(hex: "034001", frame: 16, waiting: 4, historical: ""),
    Select(hex: "034002", frame: 16, waiting: 4, historical: ""),
    // Reserved values: FSCI above 12, FWI 15, SFGI 15.
    Select(hex: "020C", frame: 4096, waiting: 4, historical: ""),
    Select(hex: "020F", frame: 4096, waiting: 4, historical: ""),
    Select(hex: "0320FF", frame: 16, waiting: 4, historical: ""),
    Select(hex: "0320EE", frame: 16, waiting: 14, historical: ""),
  ]

  @Test(arguments: selects)
  func `an answer to select is read with its defaults and reserved values`(_ select: Select) throws {
    let octets = try [UInt8](hex: select.hex)
    let answer = try AnswerToSelect(parsing: octets.span)
    #expect(answer.frameSize == select.frame)
    #expect(answer.frameWaitingInteger == select.waiting)
    #expect(try answer.historicalBytes == [UInt8](hex: select.historical))
    #expect(answer.frameWaitingTime == .nanoseconds(302_065 << select.waiting))
  }

  static let brokenSelects: [(String, OctetsError)] = [
    ("", OctetsError(.truncated(needed: 1, available: 0), at: 0)),
    ("00", OctetsError(.trailing(count: 1), at: 0)),
    ("0578", OctetsError(.truncated(needed: 5, available: 2), at: 0)),
    ("057880700233", OctetsError(.trailing(count: 1), at: 5)),
    ("0270", OctetsError(.truncated(needed: 1, available: 0), at: 2)),
    ("037880", OctetsError(.truncated(needed: 1, available: 0), at: 3)),
    ("04788070", OctetsError(.truncated(needed: 1, available: 0), at: 4)),
  ]

  @Test(arguments: brokenSelects)
  func `bytes that are not an answer to select are an error at their offset`(_ hex: String, _ expected: OctetsError)
    throws
  {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try AnswerToSelect(parsing: octets.span) }
  }
}
