internal import EMVData
internal import ISO7816
internal import Octets

/// What kernel 4 decides in the flow of `ChipMachine`.
extension Kernel4: ChipRules {
  var actionCodes: TerminalActionCodes { configuration.actionCodes }
  var lengths: [Tag: Int] { [.enhancedReaderCapabilities: 4, .contactlessReaderCapabilities: 1] }
  var furtherElements: [Tag] {
    [.enhancedReaderCapabilities, .cardInterfaceCapabilities, .mobileVerificationResults]
  }
  var shownElements: [Tag] { [] }
  var isOfflineOnly: Bool { capabilities.contains(.offlineOnly) }
  private var capabilities: EnhancedContactlessReaderCapabilities { configuration.readerCapabilities }

  // The card reads the modes and "CVM required" in tag 9F35 too. A recording of a terminal of type 22 has EA.
  func begin(_ terminal: inout KernelTerminal) {
    let modes = (terminal.data[.contactlessReaderCapabilities]?.first ?? 0) & Kernel4Configuration.terminalTypeMask
    terminal.data[.terminalType] = [(terminal.data[.terminalType]?.first ?? 0) | modes]
  }

  // 6984: the holder verifies on the phone and presents it again; a second 6984 in the same payment ends it. Another status
  // word than 6985, which goes on with the next application, ends it too (EMV 4.4 Book 3, 10.1).
  func refused(_ status: StatusWord, _ terminal: inout KernelTerminal) -> KernelStep {
    let failure = StepFailure(.processingOptions, .status(status))
    switch status {
    case .referencedDataInvalidated:
      let payment = Self.identity(of: terminal)
      guard terminal.memory.octets != payment else {
        terminal.memory = KernelMemory()
        return .outcome(.endApplication(StepFailure(.processingOptions, .holderNotVerifiedTwice)))
      }
      terminal.memory = KernelMemory(octets: payment)
      return .outcome(.seePhone(failure))
    case .conditionsNotSatisfied: return .selectNext(failure)
    default: return .outcome(.endApplication(failure))
    }
  }

  // The payment whose first 6984 the kernel remembers.
  private static func identity(of terminal: KernelTerminal) -> [UInt8] {
    let tags: [Tag] = [
      .amountAuthorised, .amountOther, .transactionCurrencyCode, .transactionDate, .transactionTime, .transactionType,
    ]
    return tags.compactMap { tag in terminal.data[tag].map { TLVNode(tag, $0) } }.encoded
  }

  // AIP byte 2 bit 8, where the terminal has EMV mode; else mag-stripe mode, where card and terminal have that.
  func mode(_ profile: ApplicationInterchangeProfile, _ card: CardData) throws(StepFailure) -> ChipMode {
    if profile.contains(.emvMode), capabilities.contains(.partialOnline) { return .emv }
    let interfaces = try interfaces(card, .processingOptions)
    guard capabilities.contains(.magStripeMode), !interfaces.contains(.noMagStripeMode) else {
      throw StepFailure(.processingOptions, .modeNotSupported)
    }
    return .magStripe
  }

  // The number of mag-stripe mode is a small one, in the four bytes of tag 9F37.
  func prepareMagStripe(_ terminal: inout KernelTerminal) {
    terminal.drawUnpredictableNumber()
    let drawn = UInt32(bigEndian: terminal.data[.unpredictableNumber] ?? []) ?? 0
    terminal.data[.unpredictableNumber] =
      (drawn % UInt32(configuration.largestMagStripeNumber + 1)).bigEndianOctets
  }

  // The transaction limit counts with autorun only, which has no pre-processing.
  func needsHost(_ terminal: KernelTerminal) -> Bool {
    limits.isFloorExceeded(by: terminal.request) || limits.isTransactionLimitReached(by: terminal.request)
  }

  // A reader that is set up so asks for the chip, unless the card states that it has no contacts.
  func declined(
    _ request: AuthorizationRequest, _ failure: StepFailure, _ card: CardData, _ terminal: KernelTerminal
  ) -> PaymentOutcome {
    let hasContacts =
      card.value(.cardInterfaceCapabilities)
      .flatMap { CardInterfaceCapabilities(octets: $0) }?.contains(.contact) ?? true
    guard capabilities.isSuperset(of: [.contact, .otherInterfaceAfterDecline]), hasContacts else {
      return .declined(request, failure)
    }
    return .otherInterface(.insert, failure)
  }

  // Tag 9F70; empty without it.
  func interfaces(
    _ card: CardData, _ phase: TransactionPhase
  ) throws(StepFailure) -> CardInterfaceCapabilities {
    CardInterfaceCapabilities(octets: try card.optional(.cardInterfaceCapabilities, 2...2, phase) ?? []) ?? []
  }
}
