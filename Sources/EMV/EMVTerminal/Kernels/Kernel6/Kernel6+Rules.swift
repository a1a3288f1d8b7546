internal import EMVData
internal import ISO7816

/// What kernel 6 decides in the flow of `ChipMachine`.
extension Kernel6: ChipRules {
  var riskManagement: RiskManagement? { nil }
  // A vendor's manual has no action codes of the terminal. These are what kernels 3 and 7 check without any, since those of
  // a card may be in a record that no signature covers.
  var actionCodes: TerminalActionCodes {
    let restricted: TerminalVerificationResults = [.expired, .notYetEffective, .serviceNotAllowed, .cdaFailed]
    return TerminalActionCodes(denial: .onExceptionList, online: restricted, fallback: restricted)
  }
  var lengths: [Tag: Int] { [.terminalTransactionQualifiers: 4] }
  var furtherElements: [Tag] {
    [.terminalTransactionQualifiers, .cardAuthenticationRelatedData, .cardProcessingRequirements]
  }
  var shownElements: [Tag] { [] }
  // Tag 9F66 byte 1 bit 4.
  var isOfflineOnly: Bool { qualifiers.contains(.offlineOnly) }

  func begin(_ terminal: inout KernelTerminal) {}

  func mode(_ profile: ApplicationInterchangeProfile, _ card: CardData) throws(StepFailure) -> ChipMode { .emv }

  // Tag 9F66 byte 2 bit 8, which the limits set.
  func needsHost(_ terminal: KernelTerminal) -> Bool {
    terminal.qualifiers.needsHost(terminal.request, limits, statusCheck: statusCheck)
  }

  // The list of the card decides (EMV 4.4 Book 3, 10.5), with the methods of tag 9F66. Without a method that both have, a
  // payment whose cardholder must be verified is declined.
  func verification(
    _ facts: ChipCardData, _ card: CardData, _ mode: ChipMode, _ terminal: KernelTerminal
  ) throws(StepFailure) -> ChipVerification {
    _ = try card.optional(.cardProcessingRequirements, 2...2, .decision)
    _ = try card.optional(.cardAuthenticationRelatedData, 5...16, .decision)
    let qualifiers = terminal.qualifiers
    let isRequired = qualifiers.contains(.cvmRequired)
    let choice =
      facts.profile.contains(.cardholderVerification)
      ? CVMListProcessing.choose(
        facts.cvmList, .init(facts, terminal, capability: Self.capability(qualifiers, isRequired)))
      : CVMListProcessing.notSupported
    let isMissing = isRequired && choice.method == .none
    return ChipVerification(choice: choice, denial: isMissing ? .verificationRequired : nil)
  }

  // Byte 2 of tag 9F33 for this payment: the methods of tag 9F66 where one is required, else no verification.
  private static func capability(_ qualifiers: TerminalTransactionQualifiers, _ isRequired: Bool) -> UInt8 {
    guard isRequired else { return 0x08 }
    return (qualifiers.contains(.onlinePIN) ? 0x40 : 0) | (qualifiers.contains(.signature) ? 0x20 : 0)
  }
}

extension Tag {
  // 9F71: card processing requirements, card. For kernel 4 it holds the results of a mobile device's verification.
  static let cardProcessingRequirements: Tag = 0x9F71
}
