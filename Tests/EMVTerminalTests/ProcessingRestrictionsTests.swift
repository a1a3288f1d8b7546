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

  @Test func `an expired approval without tag 9F6C is refused; one without a date is not`() throws {
    let past = try #require(TransactionDate(year: 2025, month: 1, day: 31))
    #expect(ProcessingRestrictions.check(cryptogram: .tc, expiry: past, today: Self.today, card: nil) == .expired)
    #expect(ProcessingRestrictions.check(cryptogram: .tc, expiry: nil, today: Self.today, card: nil) == .passed)
  }

  static func card(_ identifier: String, expiry: String? = nil, qualifiers: String = "0800") -> CardDouble {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([
      0x9F27: octets(identifier), 0x5F24: expiry.map(octets), 0x9F6C: octets(qualifiers),
    ])
    return card
  }

  @Test(
    arguments: [
      ("12.34", "EUR", "attended-eur", nil, StepFailure.Code.offlineApprovalNotAsked),
      ("12.34", "EUR", "attended-eur", "200101", .offlineApprovalNotAsked),
      ("12.34", "USD", "signature-usd", nil, .offlineApprovalNotProved),
      ("12.34", "USD", "signature-usd", "261120", .offlineApprovalNotProved),
    ] as [(String, String, String, String?, StepFailure.Code)])
  func `an offline approval is declined with its reason`(
    amount: String, currency: String, terminal: String, expiry: String?, code: StepFailure.Code
  ) throws {
    var card = Self.card("40", expiry: expiry)
    let tap = try Terminals.tap(&card, amount, currency, Terminals.configuration(terminal))
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.decision, code))
    #expect(tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.failure?.description.contains("TC") == true)
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
