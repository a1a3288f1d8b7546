import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Offline approval of kernel 7") struct Kernel7AuthenticationTests {
  private static func failure(_ reason: AuthenticationFailure) -> StepFailure {
    StepFailure(.decision, .dataAuthentication(reason))
  }

  /// Tag 9F69, tag 9F66, tag 9F08 of the card; nil reason for an approval.
  struct Row: CustomTestStringConvertible {
    let related: String?
    var reader = "36004080"
    var version: String? = "0030"
    let reason: AuthenticationFailure?

    var testDescription: String { "9F69 \(related ?? "absent"), 9F66 \(reader), 9F08 \(version ?? "absent")" }
  }

  @Test(arguments: [
    Row(related: "01A1B2C3D40000", reason: nil),
    Row(related: "01A1B2C3D40000", reader: "36004000", version: "0020", reason: nil),
    Row(related: nil, reason: .version), Row(related: "00A1B2C3D40000", reason: .version),
    Row(related: nil, version: "0031", reason: .version), Row(related: nil, version: "0100", reason: .version),
    Row(related: nil, version: "002F", reason: nil), Row(related: "00A1B2C3D40000", version: "002F", reason: nil),
    Row(related: nil, version: nil, reason: .version), Row(related: nil, reader: "36004000", reason: nil),
    Row(related: "00A1B2C3D40000", reader: "36004000", reason: nil),
    Row(related: "02A1B2C3D40000", reason: .version),
    Row(related: "02A1B2C3D40000", reader: "36004000", version: "0020", reason: .version),
  ])
  func `the version of fDDA follows from tag 9F69, and a reader of version 01 refuses version 00 of a newer card`(
    _ row: Row
  ) throws {
    var card = try UnionPayDouble.card(related: row.related, changing: [0x9F08: row.version.map(octets)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal(row.reader))
    if let reason = row.reason {
      #expect(tap.outcome.kind == .declined && tap.outcome.failure == Self.failure(reason))
      #expect(tap.outcome.dataAuthentication == .failed(reason))
    } else {
      #expect(tap.outcome.kind == .approved && tap.outcome.dataAuthentication == .passed)
      #expect(tap.outcome.cryptogram == .tc && tap.outcome.discretionaryData.isEmpty)
    }
  }

  /// Version 00 covers tag 9F37 only; version 01 the payment and tag 9F69 too.
  @Test func `a signature over the bytes of the other version is refused`() throws {
    for (related, coversPayment) in [("01A1B2C3D40000", false), ("00A1B2C3D40000", true)] {
      var card = try UnionPayDouble.card(related: related, coversPayment: coversPayment)
      let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal("36004000"))
      #expect(tap.outcome.failure == Self.failure(.hash(.dynamicData)))
    }
  }

  @Test func `a signature of version 01 over another amount is refused, one of version 00 covers no amount`() throws {
    for (related, kind) in [("01A1B2C3D40000", PaymentOutcome.Kind.declined), (nil, .approved)] {
      var card = try UnionPayDouble.card(related: related)
      let tap = try Terminals.tap(&card, "12.35", "EUR", UnionPayDouble.terminal("36004000"))
      #expect(tap.outcome.kind == kind)
    }
  }

  @Test(arguments: ["01A1B2C3D40000", nil])
  func `format 95, which kernel 3 takes, is refused`(_ related: String?) throws {
    var card = try UnionPayDouble.card(related: related, format: 0x95)
    let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal("36004000"))
    #expect(tap.outcome.kind == .declined && tap.outcome.failure == Self.failure(.format(.dynamicData)))
  }

  @Test(
    arguments: [
      ([0x9F4B: nil], .missing(0x9F4B)), ([0x82: "0000"], .notSupported), ([0x82: "4000"], .notSupported),
      ([0x82: "2040"], .hash(.cardCertificate)), ([0x94: "08010101"], .missing(0x8F)),
    ] as [([Tag: String?], AuthenticationFailure)])
  func `a TC without all data of a right signature is declined, and SDA is not taken`(
    changes: [Tag: String?], reason: AuthenticationFailure
  ) throws {
    var card = try UnionPayDouble.card(changing: changes.mapValues { $0.map(octets) })
    let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal())
    #expect(tap.outcome.kind == .declined && tap.outcome.failure == Self.failure(reason))
  }

  /// Tag 9F6C, tag 9F66, the end of a payment whose authentication fails.
  @Test(arguments: [
    ("0000", "36004080", PaymentOutcome.Kind.declined), ("2000", "36004080", .onlineRequest),
    ("2000", "2E004080", .declined), ("1000", "36004080", .otherInterface), ("1000", "26004080", .declined),
  ])
  func `after a refused version tag 9F6C decides`(
    qualifiers: String, reader: String, kind: PaymentOutcome.Kind
  ) throws {
    var card = try UnionPayDouble.card(qualifiers: qualifiers, related: nil)
    let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal(reader))
    #expect(tap.outcome.kind == kind && tap.outcome.dataAuthentication == .failed(.version))
  }

  /// Whether the reader authenticates for online payments, the format, the end.
  @Test(
    arguments: [
      ("37004080", 0x05, PaymentOutcome.Kind.onlineRequest), ("37004080", 0x95, .declined),
      ("36004080", 0x95, .onlineRequest),
    ] as [(String, UInt8, PaymentOutcome.Kind)])
  func `a reader that authenticates for online payments checks the signature of an ARQC`(
    reader: String, format: UInt8, kind: PaymentOutcome.Kind
  ) throws {
    var card = try UnionPayDouble.card(.arqc, format: format)
    let tap = try Terminals.tap(&card, "12.34", "EUR", UnionPayDouble.terminal(reader))
    #expect(tap.outcome.kind == kind)
  }

  @Test func `a revoked certificate and an unknown authority are refused`() throws {
    var card = try UnionPayDouble.card()
    let revoked = try UnionPayDouble.terminal(
      setting: ["revokedCertificates": [["provider": "F000000001", "index": "01", "serialNumber": "000001"]]])
    #expect(try Terminals.tap(&card, "12.34", "EUR", revoked).outcome.failure == Self.failure(.revoked))
  }
}
