import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Cardholder verification of kernel 4") struct Kernel4VerificationTests {
  struct Row: Sendable {
    var amount = "80.00"
    var profile = "18C0"
    var capabilities = "D8E00003"
    /// Tag 9F71; nil for none.
    var report: String? = nil
    /// The rules of tag 8E.
    var rules = "1F03"
    var method: CardholderVerificationMethod = .none
    /// Tag 9F34 and byte 3 of tag 95.
    var results = "1F0302"
    var bits = "00"
  }

  static let rows = [
    Row(report: "010302", method: .consumerDevice, results: "010002"),
    Row(amount: "12.34", report: "010002", method: .consumerDevice, results: "010002"),
    // Failed, blocked, of unknown result.
    Row(report: "010301", results: "010001", bits: "80"), Row(report: "010303", results: "010001", bits: "80"),
    Row(report: "010300", results: "010001", bits: "80"),
    // Not performed, no report, a card that is no phone, a reader without it: the list decides.
    Row(report: "3F0000", results: "3F0001", bits: "80"), Row(results: "3F0001", bits: "80"),
    Row(profile: "1880", report: "010302", rules: "42031F03", method: .onlinePIN, results: "420300", bits: "04"),
    Row(capabilities: "D8600003", report: "010302", rules: "5E03", method: .signature, results: "5E0300"),
    Row(capabilities: "D8800003", rules: "42035E031F03", results: "3F0001", bits: "80"),
    // Up to the limit no verification is one; an exempt terminal never needs one.
    Row(amount: "49.99", results: "1F0302"), Row(capabilities: "D8E00083", results: "1F0302"),
    // AIP byte 1 bit 5 is zero.
    Row(profile: "08C0", results: "3F0000"),
  ]

  @Test(arguments: rows.indices) func `the device comes first, then the list of the card`(_ index: Int) throws {
    let row = Self.rows[index]
    var card = ChipDouble.americanExpress([0x8E: octets("0000000000000000" + row.rules)])
    card.profile = octets(row.profile)
    card.options = row.report.map { [TLVNode(0x9F71, octets($0))] } ?? []
    let tap = try Terminals.tap(
      card, row.amount,
      [
        ("applications[2].kernel4.readerCapabilities", JSONValue(row.capabilities)),
        ("applications[2].kernel4.actionCodes.denial", "0000000000"),
      ])
    let data = try #require(tap.generateAC?.data)
    #expect(data.suffix(3).map { $0 } == octets(row.results), "row \(index): \(data.hex)")
    #expect(data[16] == octets(row.bits)[0], "row \(index): \(data.hex)")
    #expect(tap.outcome.verification == row.method, "row \(index)")
  }

  @Test func `a payment above the limit without a verification is declined`() throws {
    var card = ChipDouble.americanExpress()
    card.options = []
    let tap = try Terminals.tap(card, "80.00")
    #expect(tap.generateAC?.p1 == 0x00 && tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .verificationRequired))
    #expect(try Terminals.tap(card, "12.34").outcome.kind == .onlineRequest)
  }

  @Test func `a TC with an online PIN goes to the host, which alone can check the PIN`() throws {
    var card = ChipDouble.americanExpress([0x8E: octets("00000000000000004203"), 0x9F0F: octets("0000000000")])
    card.profile = octets("1880")
    let tap = try Terminals.tap(
      card.signing(), "80.00", [("applications[2].kernel4.actionCodes.online", "0000000000")])
    #expect(tap.generateAC?.p1 == 0x50)
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.message == .enterPIN)
  }
}
