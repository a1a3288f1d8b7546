import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite struct Kernel3VerificationTests {
  /// The rules of EMV Contactless Book C-3, 5.7.1, as a table: the first row that applies decides.
  static func expected(
    onlinePIN: Bool, signature: Bool, required: Bool, card: CardTransactionQualifiers?, related: Related,
    cryptogram: CryptogramType
  ) -> Result<CardholderVerificationMethod, StepFailure> {
    let rows: [(Bool, Result<CardholderVerificationMethod, StepFailure>)] = [
      (card == nil && !required, .success(.none)),
      (card == nil && signature, .success(.signature)),
      (card == nil && onlinePIN, .success(.onlinePIN)),
      (card == nil, .failure(StepFailure(.decision, .verificationRequired))),
      (card?.contains(.onlinePINRequired) == true && onlinePIN, .success(.onlinePIN)),
      (card?.contains(.cdcvmPerformed) == true && related == .same, .success(.consumerDevice)),
      (card?.contains(.cdcvmPerformed) == true && related == .absent && cryptogram == .arqc, .success(.consumerDevice)),
      (card?.contains(.cdcvmPerformed) == true, .failure(StepFailure(.decision, .verificationNotTrusted))),
      (card?.contains(.signatureRequired) == true && signature, .success(.signature)),
      (required, .failure(StepFailure(.decision, .verificationRequired))),
    ]
    return rows.first { $0.0 }?.1 ?? .success(.none)
  }

  enum Related: CaseIterable { case absent, same, other, short }

  static func octets(_ related: Related, _ card: CardTransactionQualifiers?) -> [UInt8]? {
    let value = card?.rawValue ?? 0
    let copy = [UInt8(value >> 8), UInt8(value & 0xFF)]
    return switch related {
    case .absent: nil
    case .same: [0x01, 0xDE, 0xAD, 0xBE, 0xEF] + copy
    case .other: [0x01, 0xDE, 0xAD, 0xBE, 0xEF] + copy.map { $0 ^ 0x10 }
    case .short: [0x01, 0xDE, 0xAD, 0xBE, 0xEF, copy[0]]
    }
  }

  static let cards: [CardTransactionQualifiers?] =
    [nil]
    + (0..<8).map { bits in
      var card: CardTransactionQualifiers = [.goOnlineIfExpired]
      if bits & 1 != 0 { card.insert(.onlinePINRequired) }
      if bits & 2 != 0 { card.insert(.signatureRequired) }
      if bits & 4 != 0 { card.insert(.cdcvmPerformed) }
      return card
    }

  @Test(arguments: 0..<16)
  func `the decision follows the table of reader, card, related data and cryptogram`(bits: Int) {
    var reader: TerminalTransactionQualifiers = [.emvMode]
    if bits & 1 != 0 { reader.insert(.onlinePIN) }
    if bits & 2 != 0 { reader.insert(.signature) }
    if bits & 4 != 0 { reader.insert(.cvmRequired) }
    // The CDCVM bit of the reader has no effect.
    if bits & 8 != 0 { reader.insert(.cdcvm) }
    for card in Self.cards {
      for related in Related.allCases {
        for cryptogram in [CryptogramType.arqc, .tc, .aac] {
          let decided = Result { () throws(StepFailure) in
            try Kernel3Verification.decide(
              reader: reader, card: card, relatedData: Self.octets(related, card), cryptogram: cryptogram)
          }
          let expected = Self.expected(
            onlinePIN: bits & 1 != 0, signature: bits & 2 != 0, required: bits & 4 != 0, card: card, related: related,
            cryptogram: cryptogram)
          #expect(decided == expected, "reader \(reader.words) card \(card?.words ?? []) \(related) \(cryptogram)")
        }
      }
    }
  }

  @Test(arguments: [
    ("36004000", "8080", CardholderVerificationMethod.onlinePIN, "020000", CardholderMessage.enterPIN),
    ("32004000", "8080", .consumerDevice, "010002", .authorising),
    ("36004000", "0080", .consumerDevice, "010002", .authorising),
    ("36004000", "4000", .signature, "1E0000", .authorising),
    ("36004000", "0000", .none, "1F0002", .authorising),
    ("20000000", "C080", .consumerDevice, "010002", .authorising),
    ("20000000", "C000", .none, "1F0002", .authorising),
  ])
  func `each verification is in the outcome and in tag 9F34`(
    reader: String, card: String, method: CardholderVerificationMethod, results: String, message: CardholderMessage
  ) throws {
    let configuration = try Terminals.configuration(setting: ["applications[0].qualifiers": .init(reader)])
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F6C: EMVTerminalTests.octets(card)])
    let tap = try Terminals.tap(&double, "12.34", "EUR", configuration)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.verification == method)
    #expect(tap.outcome.message == message)
    #expect(tap.outcome.authorizationRequest?.value(.cvmResults)?.hex == results)
  }

  @Test(arguments: ["0000", "C000"])
  func `a required verification that card and terminal do not share is declined`(card: String) throws {
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F6C: EMVTerminalTests.octets(card)])
    let tap = try Terminals.tap(&double, "25.00", "EUR", Terminals.configuration("unattended-kiosk"))
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.decision, .verificationRequired))
    #expect(tap.outcome.cryptogram == .arqc)
  }

  /// Book C-3 requires every reader to support CDCVM (tag 9F66 byte 3 bit 7); the kiosk has no other method.
  @Test(arguments: ["25.00", "49.99"]) func `the kiosk takes a CDCVM, and nothing else, from its limit on`(
    amount: String
  ) throws {
    let kiosk = try Terminals.configuration("unattended-kiosk")
    #expect((kiosk.combinations.first?.kernel as? Kernel3)?.qualifiers.contains(.cdcvm) == true)
    for (qualifiers, method) in [("0080", CardholderVerificationMethod.consumerDevice), ("C000", nil)] {
      var double = CardDouble()
      double.applications[0].options = CardDouble.options([0x9F6C: EMVTerminalTests.octets(qualifiers)])
      let outcome = try Terminals.tap(&double, amount, "EUR", kiosk).outcome
      #expect(outcome.kind == (method == nil ? .declined : .onlineRequest))
      #expect(outcome.verification == method ?? .none)
    }
    var double = CardDouble()
    #expect(try Terminals.tap(&double, "50.01", "EUR", kiosk).outcome.kind == .otherInterface)
  }

  @Test func `a CDCVM that differs from the signed data is declined`() throws {
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F69: EMVTerminalTests.octets("01DEADBEEF0000")])
    let tap = try Terminals.tap(&double)
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.decision, .verificationNotTrusted))
    #expect(tap.outcome.message == .notAuthorised)
  }
}
