internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// The commands with which a terminal brings the issuer's response to an ARQC (EMV 4.4 Book 3, 6.5 and 10.9 to 10.11).
extension Card {
  private static var externalAuthenticate: UInt16 { 0x0082 }
  private static var internalAuthenticate: UInt16 { 0x0088 }
  private static var recoverCryptogram: UInt16 { 0x80D0 }

  /// Answers a command of the selected application that has no program; nil when the application does not have it.
  mutating func runIssuerCommand(
    _ command: CardCommand, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int? {
    guard let index = selected?.index else { return nil }
    switch command.code {
    case Self.externalAuthenticate:
      guard images[index].issuer?.takesExternalAuthenticate ?? false else { return nil }
      return Self.answer(externalAuthenticate(command, data, index), into: &response)
    case Self.internalAuthenticate:
      guard let plan = images[index].internalAuthentication else { return nil }
      return internalAuthenticate(command, data, plan, at: instant, into: &response)
    case Self.recoverCryptogram:
      guard images[index].canRecover else { return nil }
      return recoverCryptogram(command, data, images[index].recovery, into: &response)
    default: return nil
    }
  }

  /// The exchange with the issuer that is open: the last computation is an ARQC of the application, and its keys are there.
  func openExchange(of application: Int) -> IssuerImage? {
    guard use.stage == .spent, !hasEndedIssuerExchange, let computed, computed.application == application,
      computed.kind == .applicationCryptogram(.arqc)
    else { return nil }
    return images[application].issuer
  }

  /// Whether the issuer's response may come in another presentment.
  var startsAgain: Bool {
    guard let computed else { return false }
    return openExchange(of: computed.application)?.startsAgain ?? false
  }

  /// The phase after the last command of a first presentment.
  func completedPhase(_ computation: Computation) -> CardPhase {
    let awaits =
      images[computation.application].issuer != nil && computation.kind == .applicationCryptogram(.arqc)
      && !hasEndedIssuerExchange
    return awaits ? .awaitingIssuer : .completed
  }

  mutating func resetOutcome() {
    outcome = IssuerOutcome()
    hasOutcome = false
    approvedAmount = nil
    scriptChain = nil
    (wrongMACCount, scriptCount, hasEndedIssuerExchange) = (0, 0, false)
    dynamicSignatures.removeAll()
  }

  /// A command that only follows the issuer's response was answered. A card with a second GENERATE AC awaits that.
  mutating func noteIssuerCommand(_ issuer: IssuerImage) {
    hasOutcome = true
    if issuer.second == nil, computed?.isComplete ?? false { phase = .completed }
  }

  /// Ends the exchange with the issuer, until the card is armed again: no script, no EXTERNAL AUTHENTICATE, no second GENERATE AC.
  mutating func endIssuerExchange() {
    hasEndedIssuerExchange = true
    if computed?.isComplete ?? false { phase = .completed }
  }

  /// EXTERNAL AUTHENTICATE (EMV 4.4 Book 3, 6.5.4): once for each ARQC.
  private mutating func externalAuthenticate(
    _ command: CardCommand, _ data: Span<UInt8>, _ index: Int
  ) -> StatusWord {
    guard command.parameters == 0 else { return .incorrectParameters }
    guard let issuer = openExchange(of: index), outcome.authentication == .notPerformed, outcome.second == nil else {
      return .conditionsNotSatisfied
    }
    guard (8...16).contains(data.count) else { return .wrongLength }
    authenticate(data, issuer, index)
    noteIssuerCommand(issuer)
    return outcome.authentication == .successful ? .ok : .verificationFailed
  }

  /// Compares the value of tag 91 with what the issuer's key makes of the cryptogram.
  mutating func authenticate(_ data: Span<UInt8>, _ issuer: IssuerImage, _ index: Int) {
    guard let computed, let rule = issuer.response else { return }
    let isRight = use.authenticates(data, rule.method, computed.cryptogram, with: authenticationKey(of: index))
    outcome.authentication = isRight ? .successful : .failed
  }

  private func authenticationKey(of index: Int) -> Int {
    key(of: index, .issuerAuthentication) ?? images[index].firstKey
  }

  /// The position of a key in the arming; nil when the application has no such key.
  func key(of index: Int, _ role: PaymentKeyRole) -> Int? {
    image.keyRoles[index].firstIndex(of: role).map { images[index].firstKey + $0 }
  }

  /// Keeps the amount of a payment that the card has approved without its issuer.
  mutating func noteOfflineApproval(_ computation: Computation, _ run: ProgramRun) {
    guard run.program.further >= 0, let rule = further[run.program.further].rule,
      computation.kind == .applicationCryptogram(.tc)
    else { return }
    let isOptions = run.program.form == .processingOptions
    approvedAmount = isOptions ? rule.amount(in: optionsValues.span) : rule.amount(in: listValues.span)
  }

  /// What the payment changes in the offline approvals of its application.
  var offlineOutcome: OfflineOutcome {
    if let approvedAmount { return .approved(approvedAmount) }
    return outcome.authentication == .successful ? .issuerAuthenticated : .none
  }
}
