import EMVData
import EMVTerminal
import ISO7816
import Octets
import Testing

@Suite struct CardholderVerificationTests {
  /// The rules of EMV Contactless Book C-3, 5.7.1, written down once more as a table of what may be chosen: the first
  /// row that fits decides.
  static func expected(
    onlinePIN: Bool, signature: Bool, required: Bool, card: CardTransactionQualifiers?, related: Related,
    cryptogram: CryptogramType
  ) -> Result<VerificationMethod, StepFailure> {
    let rows: [(Bool, Result<VerificationMethod, StepFailure>)] = [
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
  func `The whole truth table: reader x card x related data x cryptogram`(bits: Int) {
    var reader: TerminalTransactionQualifiers = [.emvMode]
    if bits & 1 != 0 { reader.insert(.onlinePIN) }
    if bits & 2 != 0 { reader.insert(.signature) }
    if bits & 4 != 0 { reader.insert(.cvmRequired) }
    // That the reader supports a CDCVM makes no difference.
    if bits & 8 != 0 { reader.insert(.cdcvm) }
    for card in Self.cards {
      for related in Related.allCases {
        for cryptogram in [CryptogramType.arqc, .tc, .aac] {
          let decided = Result { () throws(StepFailure) in
            try CardholderVerification.decide(
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
    ("36004000", "8080", VerificationMethod.onlinePIN, "020000", CardholderMessage.enterPIN),
    ("32004000", "8080", .consumerDevice, "010002", .authorising),
    ("36004000", "0080", .consumerDevice, "010002", .authorising),
    ("36004000", "4000", .signature, "1E0000", .authorising),
    ("36004000", "0000", .none, "1F0002", .authorising),
    ("20000000", "C080", .consumerDevice, "010002", .authorising),
    ("20000000", "C000", .none, "1F0002", .authorising),
  ])
  func `Each verification reaches the outcome and tag 9F34`(
    reader: String, card: String, method: VerificationMethod, results: String, message: CardholderMessage
  ) throws {
    let configuration = try Terminals.configuration { $0.applications[0].qualifiers = reader }
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F6C: EMVTerminalTests.octets(card)])
    let tap = try Terminals.tap(&double, "12.34", "EUR", configuration)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.verification == method)
    #expect(tap.outcome.message == message)
    #expect(tap.outcome.authorizationRequest?.value(.cvmResults)?.hex == results)
  }

  @Test(arguments: ["0000", "C000"])
  func `A verification that is required and not to be had is declined`(card: String) throws {
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F6C: EMVTerminalTests.octets(card)])
    let tap = try Terminals.tap(&double, "25.00", "EUR", Terminals.configuration("unattended-kiosk"))
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.decision, .verificationRequired))
    #expect(tap.outcome.cryptogram == .arqc)
  }

  @Test func `A CDCVM that the signed data contradict is declined`() throws {
    var double = CardDouble()
    double.applications[0].options = CardDouble.options([0x9F69: EMVTerminalTests.octets("01DEADBEEF0000")])
    let tap = try Terminals.tap(&double)
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.decision, .verificationNotTrusted))
    #expect(tap.outcome.message == .notAuthorised)
  }
}
