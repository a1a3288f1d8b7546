internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import EMVIssuer
internal import ISO7816
internal import Octets

/// Why the issuer declines a payment whose cryptogram may be right: authorisation response codes of ISO 8583.
private enum DeclineCode {
  static let doNotHonour = "05"
  static let invalidCardNumber = "14"
  static let restrictedCard = "62"
}

extension Rules {
  /// Decides on the online request of a terminal, and records a payment of a genuine card.
  ///
  /// - Throws: `AccessFailure`: `malformed` for an account number of the wrong form, `tooManyFailures` when the address
  ///   sent too many wrong cryptograms.
  func authorize(_ body: PaymentAuthorizationRequest) throws -> PaymentAuthorization {
    let subject = FailureSubject.address(address)
    try checkFailures(of: subject, limit: configuration.failureLimits.perAddress)
    guard let number = PrimaryAccountNumber(digits: body.accountNumber) else {
      throw AccessFailure(.malformed, "the account number must have 8 to 19 digits")
    }
    let sequence = body.value(.panSequenceNumber)?.first
    switch try decision(on: body, number, sequence) {
    case .unknownCard:
      return .declined(.unknownCard, DeclineCode.invalidCardNumber, "the issuer does not know the card")
    case .declined(let reason):
      if reason == .wrongCryptogram || reason == .wrongCode { try countFailure(of: subject) }
      try audit(.payment, "declined")
      let code = reason == .retired ? DeclineCode.restrictedCard : DeclineCode.doNotHonour
      return .declined(.declined, code, "\(reason)")
    case .approved(let authenticationData):
      return try conclude(body, number, sequence, authenticationData)
    }
  }

  /// Track 2 of mag-stripe mode (EMV Contactless Book C-2, annex A).
  private static let track2Tag: Tag = 0x9F6B

  private func decision(
    on body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?
  ) throws(AccessStoreError) -> Issuer.Decision {
    var ledger = StoreLedger(transaction: transaction)
    // Mag-stripe mode has no cryptogram, but a code in track 2.
    if body.value(.applicationCryptogram) == nil, let track2 = body.value(Self.track2Tag) {
      let date = body.value(.transactionDate).flatMap(TransactionDate.init(numeric:))
      return try environment.issuer.authorizeMagStripe(track2: track2, on: date, in: &ledger)
    }
    return try environment.issuer.authorize(
      accountNumber: number, sequenceNumber: sequence, in: &ledger, data: body.value)
  }

  /// Approves a genuine payment unless the card or its device was stopped. The counter is used either way.
  private func conclude(
    _ body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?,
    _ authenticationData: [UInt8]?
  ) throws -> PaymentAuthorization {
    guard let application = try application(number, sequence), let card = try transaction.card(application.card) else {
      throw AccessStoreError(.damaged, "the card of a payment is not in the database")
    }
    let counter = application.lastCounter ?? 0
    let obstacle = try obstacle(to: card)
    let payment = CardPaymentRecord(
      card: card.id, at: now, amount: body.number(.amountAuthorised),
      currency: min(Int(body.number(.transactionCurrencyCode)), 999), counter: counter, isApproved: obstacle == nil,
      responseCode: obstacle == nil ? "00" : DeclineCode.restrictedCard)
    try transaction.append(payment)
    try audit(.payment, obstacle ?? "approved", account: card.account, device: card.device)
    if let obstacle { return .declined(.declined, DeclineCode.restrictedCard, obstacle) }
    let digits = String(counter)
    return PaymentAuthorization(
      .approved, responseCode: payment.responseCode,
      authorizationCode: String(repeating: "0", count: 6 - digits.count) + digits,
      authenticationData: authenticationData)
  }

  private func application(
    _ number: PrimaryAccountNumber, _ sequence: UInt8?
  ) throws(AccessStoreError) -> CardApplicationRecord? {
    if let exact = try transaction.cardApplication(number.exposedDigits, Int(sequence ?? 0)) { return exact }
    // A track has no sequence number.
    return try transaction.cardApplications(number.exposedDigits).first
  }

  /// Why a card may not pay; nil when it may.
  private func obstacle(to card: CardRecord) throws(AccessStoreError) -> String? {
    if card.state != .active { return "the card is \(card.state.rawValue)" }
    guard let device = try transaction.walletDevice(card.device) else { return "the device of the card is unlinked" }
    return device.state == .active ? nil : "the device of the card is deactivated"
  }
}

extension PaymentAuthorizationRequest {
  /// The value of a tag, or nil.
  fileprivate func value(_ tag: Tag) -> [UInt8]? { elements["\(tag)"] }

  /// The number of a tag in the format n: two decimal digits in each octet. 0 without the tag or for another format.
  fileprivate func number(_ tag: Tag) -> Int64 { Int64((value(tag) ?? []).hex) ?? 0 }
}

extension PaymentAuthorization {
  fileprivate static func declined(_ decision: Decision, _ code: String, _ reason: String) -> PaymentAuthorization {
    PaymentAuthorization(decision, responseCode: code, reason: reason)
  }
}
