import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import Testing

@Suite struct ProcessingRestrictionsTests {
  static let today = Terminals.date

  @Test(arguments: [
    (CryptogramType.tc, -1, true, ProcessingRestrictions.Verdict.goOnline), (.tc, -1, false, .expired),
    (.tc, 0, false, .passed), (.tc, 1, false, .passed), (.tc, 0, true, .passed),
    (.arqc, -1, false, .passed), (.arqc, -1, true, .passed), (.aac, -1, false, .passed),
  ])
  func `an offline approval of an expired application is refused or goes online`(
    type: CryptogramType, days: Int, goesOnline: Bool, verdict: ProcessingRestrictions.Verdict
  ) throws {
    let expiry = try #require(TransactionDate(year: 2026, month: 11, day: Self.today.day + days))
    let card: CardTransactionQualifiers = goesOnline ? [.goOnlineIfExpired, .cdcvmPerformed] : [.cdcvmPerformed]
    #expect(
      ProcessingRestrictions.check(cryptogram: type, expiry: expiry, today: Self.today, card: card) == verdict)
  }

  @Test func `an expired approval without tag 9F6C is refused, and one without a date too`() throws {
    let past = try #require(TransactionDate(year: 2025, month: 1, day: 31))
    #expect(ProcessingRestrictions.check(cryptogram: .tc, expiry: past, today: Self.today, card: nil) == .expired)
    #expect(ProcessingRestrictions.check(cryptogram: .tc, expiry: nil, today: Self.today, card: nil) == .expired)
  }

  static func card(_ identifier: String, expiry: String? = nil, qualifiers: String = "0800") -> CardDouble {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([
      0x9F27: octets(identifier), 0x5F24: expiry.map(octets), 0x9F6C: octets(qualifiers),
    ])
    return card
  }

  @Test(arguments: [nil, "200101"]) func `a TC at a terminal that asked for an online cryptogram goes online`(
    expiry: String?
  ) throws {
    var card = Self.card("40", expiry: expiry)
    let tap = try Terminals.tap(&card, "12.34", "EUR", Terminals.configuration("attended-eur"))
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.dataAuthentication == nil)
  }

  @Test func `a TC of a card that states no authentication is declined with the reason`() throws {
    var card = Self.card("40", expiry: "261120")
    let tap = try Terminals.tap(&card, "12.34", "USD", Terminals.configuration("signature-usd"))
    #expect(tap.outcome.kind == .declined && tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.failure == StepFailure(.decision, .dataAuthentication(.notSupported)))
  }

  /// Type, cashback, tag 9F07, tag 5F28, tag 9F6C.
  @Test(
    arguments: [
      (0x00, false, "0000", nil, nil, .passed), (0x01, false, "8000", "0276", nil, .passed),
      (0x17, false, "4000", "0840", nil, .passed), (0x01, false, "8000", nil, nil, .notAllowed),
      (0x01, false, nil, "0276", nil, .passed), (0x01, false, "4000", "0276", nil, .otherInterface),
      (0x01, false, "4000", "0276", "0400", .otherInterface), (0x01, false, "4000", "0276", "0200", .notAllowed),
      (0x00, true, "0080", "0276", nil, .passed), (0x00, true, "0040", "0840", "0000", .passed),
      (0x00, true, "8040", "0276", "0200", .otherInterface), (0x00, true, "8040", "0276", "0400", .notAllowed),
    ] as [(UInt8, Bool, String?, String?, String?, ProcessingRestrictions.Verdict)])
  func `usage control restricts cash and cashback by the country of the issuer`(
    type: UInt8, hasCashback: Bool, control: String?, country: String?, qualifiers: String?,
    verdict: ProcessingRestrictions.Verdict
  ) throws {
    let found = ProcessingRestrictions.checkUsage(
      type: TransactionType(rawValue: type), hasCashback: hasCashback, control: control.map(octets),
      issuerCountry: country.map(octets), terminalCountry: [0x02, 0x76],
      card: qualifiers.flatMap { CardTransactionQualifiers(octets: octets($0)) })
    #expect(found == verdict)
  }

  @Test(arguments: [
    ("0800", PaymentOutcome.Kind.onlineRequest), ("0000", .declined),
  ])
  func `an expired application goes online when it asks for that, and is declined otherwise`(
    qualifiers: String, kind: PaymentOutcome.Kind
  ) throws {
    var card = Self.card("40", expiry: "261119", qualifiers: qualifiers)
    let tap = try Terminals.tap(&card, "12.34", "USD", Terminals.configuration("signature-usd"))
    #expect(tap.outcome.kind == kind)
    #expect(tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.failure?.code == (kind == .declined ? .expired : nil))
  }

  @Test func `an expired application with an ARQC goes online`() throws {
    var card = Self.card("80", expiry: "200131")
    #expect(try Terminals.tap(&card).outcome.kind == .onlineRequest)
  }
}
