import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// The limits and checks of an offline approval that neither a card nor a profile without action codes can switch off.
@Suite struct OfflineLimitTests {
  /// Issuer action codes that ask for nothing.
  private static let silent: [Tag: [UInt8]?] = [
    0x9F0D: octets("0000000000"), 0x9F0E: octets("0000000000"), 0x9F0F: octets("0000000000"),
  ]

  /// The amount at the floor limit, above it, at the CVM required limit, and at the transaction limit.
  @Test(arguments: ["0.00", "100.01", "1000.00"])
  func `with autorun kernel 7 sends a TC to the host that pre-processing would not have allowed`(amount: String) throws
  {
    var card = try UnionPayDouble.card(.tc)
    let terminal = try UnionPayDouble.terminal(setting: ["autorun": true])
    #expect(try Terminals.tap(&card, amount, "EUR", terminal).outcome.kind == .onlineRequest)
    card = try UnionPayDouble.card(.tc)
    #expect(try Terminals.tap(&card, "12.34", "EUR", terminal).outcome.kind == .approved)
  }

  @Test(arguments: ["100.01", "1000.00"])
  func `with autorun kernels 4, 5 and 6 ask for no TC above a limit`(amount: String) throws {
    let autorun: [(String, JSONValue)] = [("autorun", true)]
    let american = try Terminals.tap(ChipDouble.americanExpress(Self.silent).signing(), amount, autorun)
    #expect(american.generateAC?.p1 == 0x90)
    let discover = try Terminals.tapDiscover(ChipDouble.discover(Self.silent).signing(), amount, autorun)
    #expect(discover.outcome.kind != .approved)
    #expect(try Terminals.tap(ChipDouble.jcb(Self.silent).signing(), amount, autorun).outcome.kind != .approved)
  }

  @Test func `without action codes an amount above the floor limit asks for an ARQC`() throws {
    let changes: [(String, JSONValue)] = [
      ("applications[2].kernel4.actionCodes", nil), ("applications[3].kernel5.actionCodes", nil),
    ]
    for card in [ChipDouble.americanExpress(Self.silent), .jcb(Self.silent)] {
      #expect(try Terminals.tap(card.signing(), "100.01", changes).generateAC?.p1 == 0x90)
      #expect(try Terminals.tap(card.signing(), "12.34", changes).generateAC?.p1 == 0x50)
    }
  }

  /// CDA does not cover the response to GET PROCESSING OPTIONS, which holds tags 9F71 and 9F50.
  @Test func `a verification on the device above the limit is for the host to check`() throws {
    for card in [ChipDouble.americanExpress(), .jcb()] {
      let tap = try Terminals.tap(card.signing(), "80.00")
      #expect(tap.generateAC?.p1 == 0x90 && tap.outcome.verification == .consumerDevice)
    }
  }

  @Test func `kernel 4 declines above the limit a card that supports no verification`() throws {
    var card = ChipDouble.americanExpress()
    card.profile = octets("0880")
    card.options = []
    let tap = try Terminals.tap(card, "80.00")
    #expect(tap.generateAC?.p1 == 0x00)
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .verificationRequired))
  }

  @Test func `a record with "no mag-stripe mode" ends a payment in mag-stripe mode`() throws {
    var card = ChipDouble.americanExpress()
    card.profile = octets("1800")
    card.record.append(TLVNode(0x9F70, octets("0400")))
    let tap = try Terminals.tap(card)
    #expect(tap.outcome.kind == .endApplication && tap.outcome.failure?.code == .modeNotSupported)
  }

  /// What the issuer action codes of the card leave out.
  @Test func `kernel 6 checks restrictions whatever the action codes of the card say`() throws {
    let changes: [[Tag: [UInt8]?]] = [
      [0x5F24: octets("251231")], [0x5F25: octets("270101")], [0x9F07: octets("FE00")],
    ]
    for change in changes {
      let card = try ChipDouble.discover(Self.silent.merging(change) { $1 }).signing()
      #expect(try Terminals.tapDiscover(card).generateAC?.p1 == 0x90, "\(change)")
    }
    #expect(try Terminals.tapDiscover(ChipDouble.discover(Self.silent).signing()).generateAC?.p1 == 0x50)
  }
}
