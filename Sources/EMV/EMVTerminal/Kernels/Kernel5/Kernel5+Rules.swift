internal import EMVData
internal import ISO7816

/// What kernel 5 decides in the flow of `ChipMachine`.
extension Kernel5: ChipRules {
  var actionCodes: TerminalActionCodes { configuration.actionCodes }
  var lengths: [Tag: Int] { [.terminalCompatibility: 1, .terminalInterchangeProfile: 3] }
  var furtherElements: [Tag] { [.cardholderVerificationStatus, .terminalInterchangeProfile] }
  var shownElements: [Tag] { [.offlineBalance] }
  var isOfflineOnly: Bool { false }
  var heedsExceptionList: Bool { options.contains(.exceptionList) }
  private var options: Kernel5Configuration.Options { configuration.options }

  // Each activation has a number of its own.
  func begin(_ terminal: inout KernelTerminal) { terminal.drawUnpredictableNumber() }

  func mode(_ profile: ApplicationInterchangeProfile, _ card: CardData) throws(StepFailure) -> ChipMode { .emv }

  // Bit 6 of the combination options.
  var authenticates: Bool { options.contains(.dataAuthentication) }

  // An amount above the floor limit, and a status check, ask the host.
  func needsHost(_ terminal: KernelTerminal) -> Bool {
    let request = terminal.request
    return limits.isFloorExceeded(by: request)
      || options.contains(.statusCheck) && request.amount.minorUnits == request.currency.singleUnit
  }

  // The card decides in tag 9F50, and the kernel has the methods of tag 9F53. Without a method that both have, a payment
  // whose cardholder must be verified is declined.
  func verification(
    _ facts: ChipCardData, _ card: CardData, _ mode: ChipMode, _ terminal: KernelTerminal
  ) throws(StepFailure) -> ChipVerification {
    _ = try card.optional(.offlineBalance, 6...6, .decision)
    let status = try card.optional(.cardholderVerificationStatus, 1...1, .decision)
    let method = status.map { CardholderVerificationStatus(octet: $0[0]) } ?? .notApplicable
    let profile = configuration.interchangeProfile
    let (wanted, isSupported): (CardholderVerificationMethod, Bool) =
      switch method {
      case .none, .notApplicable: (.none, true)
      case .signature: (.signature, profile.contains(.signature))
      case .onlinePIN: (.onlinePIN, profile.contains(.onlinePIN))
      case .onDevice: (.consumerDevice, profile.contains(.onDevice))
      }
    let isRequired = limits.isVerificationRequired(for: terminal.request)
    guard isSupported, wanted != .none || !isRequired else {
      let failed = CVMListProcessing.Choice(.none, [0x3F, 0x00, 0x01], .cardholderVerificationFailed)
      return ChipVerification(choice: failed, denial: .verificationRequired)
    }
    if isLimitReached(by: terminal.request, isOnDevice: wanted == .consumerDevice) {
      throw StepFailure(.decision, .transactionLimit)
    }
    let bits: TerminalVerificationResults = wanted == .onlinePIN ? .onlineCVMCaptured : []
    return ChipVerification(choice: CVMListProcessing.Choice(wanted, wanted.results, bits))
  }
}
