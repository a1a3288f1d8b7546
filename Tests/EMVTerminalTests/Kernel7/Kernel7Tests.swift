import Documents
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite struct Kernel7Tests {
  private static func end(_ card: CardDouble, _ amount: String = "12.34", _ reader: String = "36004080") throws
    -> PaymentOutcome
  {
    var card = card
    return try Terminals.tap(&card, amount, "EUR", UnionPayDouble.terminal(reader)).outcome
  }

  @Test(arguments: [
    (CryptogramType.arqc, "12.34", "36004080", PaymentOutcome.Kind.onlineRequest),
    (.tc, "12.34", "36004080", .approved), (.aac, "12.34", "36004080", .declined),
    // Above the floor limit a TC is one that the issuer checks.
    (.tc, "100.01", "36004080", .onlineRequest), (.arqc, "12.34", "3E004080", .declined),
    (.arqc, "1000.00", "36004080", .otherInterface),
  ])
  func `the type of the cryptogram, the limits and tag 9F66 decide as for kernel 3`(
    type: CryptogramType, amount: String, reader: String, kind: PaymentOutcome.Kind
  ) throws {
    let card = try UnionPayDouble.card(type, qualifiers: "0080", related: "01A1B2C3D40080")
    #expect(try Self.end(card, amount, reader).kind == kind)
  }

  @Test func `tag 9F66 goes to the card with byte 4 bit 8 as the profile has it`() throws {
    var card = try UnionPayDouble.card(.arqc, qualifiers: "0080", related: "01A1B2C3D40080")
    let tap = try Terminals.tap(&card, "100.00", "EUR", UnionPayDouble.terminal())
    #expect(tap.commands[2].data.hex.hasPrefix("832136404080"))
    #expect(tap.outcome.verification == .consumerDevice)
    #expect(tap.outcome.authorizationRequest?.value(.cvmResults)?.hex == "010002")
  }

  @Test func `a required verification that the card does not report is declined`() throws {
    let card = try UnionPayDouble.card(.arqc)
    #expect(
      try Self.end(card, "100.00", "20004080").failure == StepFailure(.decision, .verificationRequired))
  }

  /// A signature of version 00 does not cover tag 9F69, so that its copy of tag 9F6C proves nothing.
  @Test(
    arguments: [
      ("01A1B2C3D40080", CryptogramType.tc, true), ("01A1B2C3D40000", .tc, false), ("01A1B2C3D40000", .arqc, false),
      ("00A1B2C3D40080", .tc, false), (nil, .tc, false), ("00A1B2C3D40080", .arqc, true), (nil, .arqc, true),
    ] as [(String?, CryptogramType, Bool)])
  func `a reported verification counts when the signature of version 01 or the ARQC covers it`(
    related: String?, type: CryptogramType, isTaken: Bool
  ) throws {
    let card = try UnionPayDouble.card(type, qualifiers: "0080", related: related)
    let outcome = try Self.end(card, "12.34", "36004000")
    if isTaken {
      #expect(outcome.verification == .consumerDevice && outcome.kind != .declined)
    } else {
      #expect(outcome.failure == StepFailure(.decision, .verificationNotTrusted))
    }
  }

  @Test(
    arguments: [
      (0x9F69, "0102030405", nil), (0x9F69, "01020304", 4), (0x9F69, "", 0), (0x9F08, "30", 1), (0x9F08, "003000", 3),
      (0x9F6C, "00", 1), (0x9F27, "8000", 2),
    ] as [(Tag, String, Int?)])
  func `a data object of a wrong length ends the application and is named`(
    tag: Tag, value: String, count: Int?
  ) throws {
    let card = try UnionPayDouble.card(.arqc, changing: [tag: octets(value)])
    let outcome = try Self.end(card)
    if let count {
      #expect(outcome.kind == .endApplication)
      #expect(outcome.failure == StepFailure(.decision, .length(tag, count: count)))
    } else {
      #expect(outcome.kind == .onlineRequest)
    }
  }

  @Test func `a card without tag 9F27 ends the application: no public source places the type in tag 9F10`() throws {
    let card = try UnionPayDouble.card(.arqc, changing: [0x9F27: nil as [UInt8]?])
    #expect(try Self.end(card).failure == StepFailure(.decision, .missing(.cryptogramInformationData)))
  }

  @Test(
    arguments: [
      (0x6985, PaymentOutcome.Kind.endApplication), (0x6986, .seePhone), (0x6984, .otherInterface),
      (0x6A81, .endApplication),
    ] as [(UInt16, PaymentOutcome.Kind)])
  func `a status word of GET PROCESSING OPTIONS has the meaning of kernel 3`(
    status: UInt16, kind: PaymentOutcome.Kind
  ) throws {
    var card = try UnionPayDouble.card(.arqc)
    card.applications[0].optionsStatus = StatusWord(rawValue: status)
    #expect(try Self.end(card).kind == kind)
  }

  @Test func `an application without a kernel identifier, of RID A000000333, goes to kernel 7`() throws {
    let name = octets("A000000333010101")
    var card = try UnionPayDouble.card(.arqc)
    card.applications[0].name = name
    card.directory = [CardDouble.entry(name, kernel: nil)]
    let terminal = try TerminalConfiguration(Terminals.allKernels(4..<8))
    let tap = try Terminals.tap(&card, "12.34", "EUR", terminal)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.authorizationRequest?.value(.applicationIdentifier) == name)
  }

  @Test(arguments: [("16004080", "EMV mode (byte 1 bit 6) must be set"), ("B6004080", "mag-stripe mode")])
  func `a profile without EMV mode, or with mag-stripe mode, is refused`(qualifiers: String, reason: String) {
    let error = #expect(throws: TerminalProfileError.self) { try UnionPayDouble.terminal(qualifiers) }
    #expect(error?.problems.contains { $0.reason.contains(reason) } == true)
  }
}
