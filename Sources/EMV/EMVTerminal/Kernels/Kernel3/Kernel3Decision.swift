internal import EMVCryptography
internal import EMVData

/// Where a payment of kernel 3 goes after the records: to the host, to an offline approval, to another interface (EMV
/// Contactless Book C-3 v2.11, 5.4.3.2, 5.5 and 5.6). A payment that is declined throws.
struct Kernel3Decision {
  enum Direction {
    case online
    case approve
    case otherInterface(StepFailure)
  }

  /// The result of offline data authentication, when it was performed.
  private(set) var authentication: PaymentOutcome.DataAuthentication?

  let application: SelectedApplication
  let kernel: Kernel3
  let facts: Kernel3CardData
  let card: CardData
  /// The terminal, with the findings of the decision.
  private(set) var terminal: KernelTerminal

  mutating func direction() throws(StepFailure) -> Direction {
    let reader = terminal.qualifiers
    switch facts.cryptogramType {
    case .aac: throw StepFailure(.decision, .declinedByCard)
    // A reader that authenticates for online payments, such as one of transit, checks cards that can sign.
    case .arqc where reader.contains(.odaForOnline) && interchange.contains(.dda):
      return try authenticated(otherwise: .online)
    case .arqc: return .online
    // The terminal asked for an online cryptogram, and a TC is one that the issuer can check.
    case .tc where reader.needsHost(terminal.request, kernel.limits, statusCheck: kernel.statusCheck): return .online
    case .tc:
      if let restricted = try restricted() { return restricted }
      return try authenticated(otherwise: .approve)
    }
  }

  private var interchange: ApplicationInterchangeProfile {
    ApplicationInterchangeProfile(octets: card.value(.applicationInterchangeProfile) ?? []) ?? []
  }

  // 5.5.1; nil when no restriction applies.
  private mutating func restricted() throws(StepFailure) -> Direction? {
    let request = terminal.request
    let expired = ProcessingRestrictions.check(
      cryptogram: .tc, expiry: facts.expiry, today: request.date, card: facts.qualifiers)
    if let direction = try direction(after: expired) { return direction }
    // 5.5.1.2.
    if terminal.logged(facts.accountNumber)?.isExcepted == true { throw StepFailure(.decision, .onExceptionList) }
    guard kernel.checksUsage else { return nil }
    return try direction(
      after: ProcessingRestrictions.checkUsage(
        type: request.type, hasCashback: request.amountOther?.minorUnits ?? 0 > 0,
        control: card.value(.applicationUsageControl), issuerCountry: card.value(.issuerCountryCode),
        terminalCountry: terminal.data[.terminalCountryCode] ?? [], card: facts.qualifiers))
  }

  private func direction(after verdict: ProcessingRestrictions.Verdict) throws(StepFailure) -> Direction? {
    switch verdict {
    case .passed: return nil
    case .goOnline: return .online
    case .expired: throw StepFailure(.decision, .expired)
    case .otherInterface: return .otherInterface(StepFailure(.decision, .usageNotAllowed))
    case .notAllowed: throw StepFailure(.decision, .usageNotAllowed)
    }
  }

  // 5.6. After a failure tag 9F6C decides; without it the payment is declined.
  private mutating func authenticated(otherwise passed: Direction) throws(StepFailure) -> Direction {
    let reader = terminal.qualifiers
    do throws(AuthenticationFailure) {
      try Kernel3Authentication.check(
        card, kernel.rules, accountNumber: facts.accountNumber, name: application.name, &terminal)
      authentication = .passed
    } catch {
      authentication = .failed(error)
      let failure = StepFailure(.decision, .dataAuthentication(error))
      if facts.qualifiers?.contains(.goOnlineIfODAFails) == true, !reader.contains(.offlineOnly) { return .online }
      if facts.qualifiers?.contains(.otherInterfaceIfODAFails) == true, reader.contains(.contactChip) {
        return .otherInterface(failure)
      }
      throw failure
    }
    return passed
  }
}

extension CardTransactionQualifiers {
  // Byte 1 bits 5, 3 and 2 (Book C-3, annex A).
  static let otherInterfaceIfODAFails = Self(rawValue: 0x1000)
  static let otherInterfaceForCash = Self(rawValue: 0x0400)
  static let otherInterfaceForCashback = Self(rawValue: 0x0200)
}
