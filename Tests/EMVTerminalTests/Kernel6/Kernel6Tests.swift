import Documents
import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Kernel 6, Discover") struct Kernel6Tests {
  private static let place = "applications[2]"

  private static func reader(_ qualifiers: String) -> [(String, JSONValue)] {
    [("\(place).qualifiers", JSONValue(qualifiers))]
  }

  /// Amount, tag 9F66 as it goes to the card, P1 of GENERATE AC.
  @Test(arguments: [
    ("12.34", "36000000", UInt8(0x50)), ("50.00", "36400000", 0x90), ("100.00", "36400000", 0x90),
    ("100.01", "36C00000", 0x90),
  ])
  func `the limits set tag 9F66, and an amount above the floor limit asks for an ARQC`(
    amount: String, qualifiers: String, p1: UInt8
  ) throws {
    let tap = try Terminals.tapDiscover(ChipDouble.discover().signing(), amount)
    #expect(tap.commands[2].data.hex.hasPrefix("831C\(qualifiers)"))
    // An online PIN, which the limit requires, is for the host too: the card's action codes say so.
    #expect(tap.generateAC?.p1 == p1)
    #expect(tap.outcome.kind == (p1 == 0x50 ? .approved : .onlineRequest))
  }

  @Test func `an amount of one unit asks for an ARQC with a status check`() throws {
    let check = try Terminals.tapDiscover(
      ChipDouble.discover().signing(), "1.00", [("\(Self.place).statusCheck", true)])
    #expect(check.generateAC?.p1 == 0x90)
    #expect(try Terminals.tapDiscover(ChipDouble.discover().signing(), "1.00").generateAC?.p1 == 0x50)
  }

  @Test func `the host gets tags 9F66, 9F71 and 95 with an ARQC of a card without CDA`() throws {
    let tap = try Terminals.tapDiscover(.discover())
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(tap.outcome.kind == .onlineRequest && tap.generateAC?.p1 == 0x80)
    #expect(request.value(0x9F71)?.hex == "00CB" && request.value(0x9F66)?.hex == "36000000")
    #expect(request.value(0x95)?.hex == "8000000000" && tap.outcome.dataAuthentication == nil)
  }

  /// No public document has the bits.
  @Test(arguments: ["0000", "00CB", "FFFF", nil]) func `tag 9F71 changes neither the cryptogram nor the verification`(
    value: String?
  ) throws {
    for (amount, method) in [("12.34", CardholderVerificationMethod.none), ("80.00", .onlinePIN)] {
      let card = try ChipDouble.discover([0x9F71: value.map(octets)]).signing()
      let tap = try Terminals.tapDiscover(card, amount)
      #expect(tap.outcome.verification == method)
      #expect(tap.outcome.kind == (amount == "12.34" ? .approved : .onlineRequest))
    }
  }

  /// Tag 8E behind the amounts, tag 9F66 of the reader, amount, the method, tag 9F34; nil for a decline.
  @Test(arguments: [
    ("02031E031F03", "36000000", "12.34", CardholderVerificationMethod.none, "1F0302"),
    ("02031E031F03", "36000000", "80.00", .onlinePIN, "020300"),
    ("02031E031F03", "32000000", "80.00", .signature, "1E0300"),
    ("1F03", "36000000", "80.00", nil, "3F0001"), ("02031E031F03", "30000000", "80.00", nil, "3F0001"),
    ("1F03", "36000000", "12.34", CardholderVerificationMethod.none, "1F0302"),
  ])
  func `the list of the card and tag 9F66 choose the verification above the limit`(
    list: String, qualifiers: String, amount: String, method: CardholderVerificationMethod?, results: String
  ) throws {
    let card = ChipDouble.discover([0x8E: octets("0000000000000000" + list)])
    let tap = try Terminals.tapDiscover(card, amount, Self.reader(qualifiers))
    #expect(tap.generateAC?.data.suffix(3).hex == results)
    if let method {
      #expect(tap.outcome.verification == method && tap.outcome.kind == .onlineRequest)
    } else {
      #expect(tap.outcome.kind == .declined && tap.generateAC?.p1 == 0x00)
      #expect(tap.outcome.failure?.code == .verificationRequired)
    }
  }

  @Test func `a card without verification of its own is declined above the limit`() throws {
    var card = ChipDouble.discover()
    card.profile = octets("0800")
    #expect(try Terminals.tapDiscover(card).outcome.kind == .onlineRequest)
    #expect(try Terminals.tapDiscover(card, "80.00").outcome.failure?.code == .verificationRequired)
  }

  @Test(
    arguments: [
      (0x9F71, "00", 1), (0x9F71, "00CB00", 3), (0x9F69, "01020304", 4),
      (0x9F69, "0102030405060708090A0B0C0D0E0F1011", 17), (0x8E, "00000000000000", 7), (0x9F0F, "BC689C98", 4),
    ] as [(Tag, String, Int)])
  func `a data object of a wrong length ends the application and is named`(tag: Tag, value: String, count: Int) throws {
    let tap = try Terminals.tapDiscover(.discover([tag: octets(value)]))
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, .length(tag, count: count)))
    #expect(tap.generateAC == nil)
  }

  @Test func `a card that asks for tag 9F66 with another length ends the application`() throws {
    var card = ChipDouble.discover()
    card.pdol = octets("9F66039F3704")
    let tap = try Terminals.tapDiscover(card)
    #expect(tap.outcome.failure == StepFailure(.processingOptions, .length(0x9F66, count: 3)))
  }

  @Test(arguments: [0x6985, 0x6984, 0x6986, 0x6A81] as [UInt16])
  func `6985 goes on with the next application, another status word ends the payment`(status: UInt16) throws {
    var card = ChipDouble.discover()
    card.optionsStatus = StatusWord(rawValue: status)
    let tap = try Terminals.tapDiscover(card)
    #expect(tap.outcome.kind == .endApplication)
    let failure = StepFailure(.processingOptions, .status(StatusWord(rawValue: status)))
    if status == 0x6985 {
      #expect(tap.outcome.failure == StepFailure(.selectApplication, .noCandidate) && tap.failures.first == failure)
    } else {
      #expect(tap.outcome.failure == failure)
    }
  }

  @Test(arguments: ["A0000001523010", "A0000003241010"])
  func `an application of a Discover RID without a kernel identifier goes to kernel 6`(name: String) throws {
    let directory = [CardDouble.entry(octets(name), kernel: nil)]
    var card = CardDouble([.init(name: octets(name))], directory: directory)
    card.applications[0].optionsStatus = .conditionsNotSatisfied
    let tap = try Terminals.tap(&card, "12.34", "EUR", Terminals.discover())
    #expect(tap.commands.map(\.ins) == [0xA4, 0xA4, 0xA8])
  }

  @Test(arguments: [("16000000", "EMV mode (byte 1 bit 6) must be set"), ("B6000000", "mag-stripe mode")])
  func `a profile without EMV mode, or with mag-stripe mode, is refused`(qualifiers: String, reason: String) {
    let error = #expect(throws: TerminalProfileError.self) { try Terminals.discover(Self.reader(qualifiers)) }
    #expect(error?.problems.contains { $0.reason.contains(reason) } == true)
  }
}
