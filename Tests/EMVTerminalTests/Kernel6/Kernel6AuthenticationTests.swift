import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Offline approval of kernel 6") struct Kernel6AuthenticationTests {
  private static let qualifiers = "applications[2].qualifiers"

  @Test func `a signed TC is approved without a host`() throws {
    let tap = try Terminals.tapDiscover(ChipDouble.discover().signing())
    #expect(tap.generateAC?.p1 == 0x50 && tap.results == "0000000000")
    #expect(tap.outcome.kind == .approved && tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.authorizationRequest?.cryptogram == octets("1122334455667788"))
  }

  @Test func `a card that answers a request to approve with an ARQC goes to the host, with an AAC it is declined`()
    throws
  {
    var card = try ChipDouble.discover().signing()
    card.type = .arqc
    #expect(try Terminals.tapDiscover(card).outcome.kind == .onlineRequest)
    card.type = .aac
    let declined = try Terminals.tapDiscover(card).outcome
    #expect(declined.kind == .declined && declined.failure?.code == .declinedByCard)
  }

  @Test func `a TC that was not asked for ends the application`() throws {
    var card = try ChipDouble.discover().signing()
    card.type = .tc
    let outcome = try Terminals.tapDiscover(card, "100.01").outcome
    #expect(outcome.kind == .endApplication && outcome.failure?.code == .offlineApprovalNotAsked)
  }

  /// A change of a signed response.
  @Test(arguments: [0, 1, 2]) func `a wrong signature ends the application`(_ change: Int) throws {
    for amount in ["12.34", "100.01"] {
      var card = try ChipDouble.discover().signing()
      card.change = { objects in
        switch change {
        case 0: objects.filter { $0.tag != 0x9F4B }
        case 1: objects.map { $0.tag == 0x9F36 ? TLVNode(0x9F36, [0x00, 0x08]) : $0 }
        default: objects.map { $0.tag == 0x9F4B ? TLVNode(0x9F4B, [UInt8](repeating: 1, count: 112)) : $0 }
        }
      }
      let outcome = try Terminals.tapDiscover(card, amount).outcome
      #expect(outcome.kind == .endApplication)
      #expect(change == 0 || outcome.dataAuthentication != .passed)
    }
  }

  /// Tag 95: CDA failed, and for missing data ICC data missing too.
  @Test(
    arguments: [
      ([], [("certificationAuthorities", JSONValue([]))], "0400000000"),
      ([0x9F4A], [], "2400000000"),
    ] as [([UInt32], [(String, JSONValue)], String)])
  func `a card that cannot be checked is asked for an ARQC without a signature`(
    _ missing: [UInt32], _ changes: [(String, JSONValue)], _ results: String
  ) throws {
    let removed = Dictionary(uniqueKeysWithValues: missing.map { (Tag(rawValue: $0), [UInt8]?.none) })
    let tap = try Terminals.tapDiscover(ChipDouble.discover(removed).signing(), "12.34", changes)
    #expect(tap.generateAC?.p1 == 0x80 && tap.results == results)
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.dataAuthentication != .passed)
  }

  @Test func `a terminal without CDA in tag 9F33 asks for an ARQC without a signature`() throws {
    let tap = try Terminals.tapDiscover(ChipDouble.discover().signing(), "12.34", [("capabilities", "E068C0")])
    #expect(tap.generateAC?.p1 == 0x80 && tap.results == "8000000000")
  }

  @Test func `a bit of the card's denial code asks for an AAC, and the payment is declined`() throws {
    let tap = try Terminals.tapDiscover(.discover([0x9F0E: octets("8000000000")]))
    #expect(tap.generateAC?.p1 == 0x00 && tap.outcome.kind == .declined)
    #expect(tap.outcome.failure?.code == .deniedByActionCodes)
  }

  /// Tag 9F66 byte 1 bit 4: the reader never has a host.
  @Test func `an offline-only reader approves a signed TC, and declines everything else`() throws {
    let reader = [(Self.qualifiers, JSONValue("3E000000"))]
    #expect(try Terminals.tapDiscover(ChipDouble.discover().signing(), "12.34", reader).outcome.kind == .approved)
    let unsigned = try Terminals.tapDiscover(.discover(), "12.34", reader)
    #expect(unsigned.generateAC?.p1 == 0x00 && unsigned.outcome.kind == .declined)
    var card = try ChipDouble.discover().signing()
    card.type = .arqc
    let online = try Terminals.tapDiscover(card, "12.34", reader).outcome
    #expect(online.kind == .declined && online.failure?.code == .onlineNotPossible)
  }
}
