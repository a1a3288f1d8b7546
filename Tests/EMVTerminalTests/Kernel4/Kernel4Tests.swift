import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Kernel 4, American Express") struct Kernel4Tests {
  private static let place = "applications[2]"

  @Test func `a card in EMV mode gets tags 9F6E, 9F6D and the modes in tag 9F35, and its ARQC goes to the host`() throws
  {
    let tap = try Terminals.tap(.americanExpress())
    // D8E00003 below the CVM required limit; C0; terminal type 22 with the modes.
    #expect(tap.commands[2].data.hex == "8306" + "D8E00003" + "C0" + "E2")
    #expect(tap.generateAC?.p1 == 0x80)
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.cryptogram == .arqc)
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(request.value(0x9F71)?.hex == "010002" && request.value(0x9F6E)?.hex == "D8E00003")
    // The host gets the type of the terminal, not what the card reads in its place.
    #expect(request.value(0x9F35)?.hex == "22" && request.value(0x9F39)?.hex == "07")
  }

  @Test func `from the CVM required limit on the kernel sets CVM required in both tags itself`() throws {
    for (amount, capabilities, type) in [("49.99", "D8E00003", "C0E2"), ("50.00", "D8E04003", "C8EA")] {
      let tap = try Terminals.tap(.americanExpress(), amount)
      #expect(tap.commands[2].data.hex == "8306" + capabilities + type)
    }
  }

  @Test func `a signed TC is approved without a host, and a signed ARQC goes to the host`() throws {
    let offline = try Terminals.tap(ChipDouble.americanExpress().signing())
    #expect(offline.generateAC?.p1 == 0x50)
    #expect(offline.outcome.kind == .approved && offline.outcome.dataAuthentication == .passed)
    #expect(offline.outcome.authorizationRequest?.cryptogram == octets("1122334455667788"))
    var card = try ChipDouble.americanExpress().signing()
    card.type = .arqc
    let online = try Terminals.tap(card)
    #expect(online.outcome.kind == .onlineRequest && online.outcome.dataAuthentication == .passed)
  }

  @Test func `a changed signed response ends the application and is never approved`() throws {
    for (object, count) in [(0, 1), (1, 2), (2, 7), (3, 112)] {
      for index in stride(from: 0, to: count, by: count > 20 ? 13 : 1) {
        var card = try ChipDouble.americanExpress().signing()
        card.change = { objects in
          var value = objects[object].value
          value[index] ^= object == 0 ? 0xC0 : 0x01
          var changed = objects
          changed[object] = TLVNode(objects[object].tag, value)
          return changed
        }
        let tap = try Terminals.tap(card)
        #expect(tap.outcome.kind == .endApplication, "object \(object), byte \(index)")
      }
    }
  }

  @Test func `without byte 3 bit 4 of tag 9F33 no signature is asked for`() throws {
    let tap = try Terminals.tap(ChipDouble.americanExpress().signing(), "12.34", [("capabilities", "E06800")])
    #expect(tap.generateAC?.p1 == 0x80 && tap.results.hasPrefix("80"))
    #expect(tap.outcome.dataAuthentication == nil)
  }

  @Test func `an offline-only reader declines an ARQC and asks for no cryptogram of the host`() throws {
    let offline: [(String, JSONValue)] = [("\(Self.place).kernel4.readerCapabilities", "D8E08003")]
    let approved = try Terminals.tap(ChipDouble.americanExpress().signing(), "12.34", offline)
    #expect(approved.generateAC?.p1 == 0x50 && approved.outcome.kind == .approved)
    var card = try ChipDouble.americanExpress().signing()
    card.type = .arqc
    let declined = try Terminals.tap(card, "12.34", offline)
    #expect(declined.outcome.kind == .declined)
    #expect(declined.outcome.failure == StepFailure(.generateCryptogram, .onlineNotPossible))
    let unsigned = try Terminals.tap(.americanExpress(), "12.34", offline)
    #expect(unsigned.generateAC?.p1 == 0x00 && unsigned.outcome.kind == .declined)
  }

  /// Bits of tag 95, and P1.
  @Test func `restrictions, floor limit and action codes decide on the cryptogram`() throws {
    let expired = try Terminals.tap(ChipDouble.americanExpress([0x5F24: octets("251231")]).signing())
    #expect(expired.results == "0040000000" && expired.generateAC?.p1 == 0x90)
    let early = try Terminals.tap(ChipDouble.americanExpress([0x5F25: octets("270101")]).signing())
    #expect(early.results == "0020000000" && early.generateAC?.p1 == 0x90)
    let used = try Terminals.tap(ChipDouble.americanExpress([0x9F07: octets("FE00")]).signing())
    #expect(used.results == "0010000000" && used.generateAC?.p1 == 0x90)
    let floor = try Terminals.tap(ChipDouble.americanExpress().signing(), "100.01")
    #expect(floor.results == "0000008000" && floor.generateAC?.p1 == 0x90)
    let atFloor = try Terminals.tap(
      ChipDouble.americanExpress().signing(), "100.00", [("\(Self.place).limits[0].cvmRequired", "100.01")])
    #expect(atFloor.results == "0000000000" && atFloor.generateAC?.p1 == 0x50)
    let denied = try Terminals.tap(ChipDouble.americanExpress([0x9F0E: octets("0000008000")]), "100.01")
    #expect(denied.generateAC?.p1 == 0x00)
    #expect(denied.outcome.failure == StepFailure(.generateCryptogram, .deniedByActionCodes))
  }

  @Test func `the velocity check reads both counters of a card with both limits`() throws {
    var card = try ChipDouble.americanExpress([0x9F14: [0x02], 0x9F23: [0x04]]).signing()
    card.counters = [0x9F36: octets("0009"), 0x9F13: octets("0006")]
    let tap = try Terminals.tap(card, "12.34", [("\(Self.place).riskManagement", ["velocity": true])])
    #expect(tap.phases.count { $0.rawValue == "GET DATA" } == 2)
    #expect(tap.results == "0000004000")
  }

  @Test func `from the transaction limit on the payment needs another interface`() throws {
    let limits: [(String, JSONValue)] = [("\(Self.place).limits[0].transaction", "20.00")]
    let others = (0..<4).filter { $0 != 2 }.map { ("applications[\($0)].limits[0].transaction", JSONValue("1.00")) }
    let onDevice = [1, 3].map { ("applications[\($0)].limits[0].transactionOnDevice", JSONValue("1.00")) }
    let tap = try Terminals.tap(.americanExpress(), "20.00", limits + others + onDevice)
    #expect(tap.outcome.kind == .otherInterface && tap.outcome.failure?.code == .transactionLimit)
    #expect(try Terminals.tap(.americanExpress(), "19.99", limits + others + onDevice).outcome.kind == .onlineRequest)
  }

  /// Byte 1 bit 3 of tag 9F6E, tag 9F70 of the card.
  @Test(
    arguments: [
      ("D8E00003", nil, PaymentOutcome.Kind.declined), ("DCE00003", nil, .otherInterface),
      ("DCE00003", "2000", .otherInterface), ("DCE00003", "D800", .declined), ("5CE00003", nil, .declined),
    ] as [(String, String?, PaymentOutcome.Kind)])
  func `a declined payment goes on with the chip where reader and card have contacts`(
    _ capabilities: String, _ interfaces: String?, _ kind: PaymentOutcome.Kind
  ) throws {
    var card = ChipDouble.americanExpress(interfaces.map { [0x9F70: octets($0)] } ?? [:])
    card.type = .aac
    let tap = try Terminals.tap(card, "12.34", [("\(Self.place).kernel4.readerCapabilities", JSONValue(capabilities))])
    #expect(tap.outcome.kind == kind)
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .declinedByCard))
  }
}
