internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import EMVIssuer
internal import ISO7816
internal import Octets
internal import ServerStore

/// Why the issuer declines a payment whose cryptogram may be right: authorisation response codes of ISO 8583.
private enum DeclineCode {
  static let doNotHonour = "05"
  static let invalidCardNumber = "14"
  static let notPermitted = "57"
  static let restrictedCard = "62"
}

extension IssuerRules {
  /// Decides on the online request of a terminal, and records a payment of a genuine card.
  ///
  /// Anybody can send wrong cryptograms and codes of a card, so they suspend no card and block no terminal. Codes have few
  /// digits: after `codeLimit` wrong ones in a day, mag-stripe mode is declined until a right cryptogram or the operator.
  ///
  /// - Throws: A refusal with code `malformed` for an account number of the wrong form.
  func authorize(_ body: PaymentAuthorizationRequest) throws(AccessError) -> PaymentAuthorization {
    guard let number = PrimaryAccountNumber(digits: body.accountNumber) else {
      throw .refused(.malformed, "the account number must have 8 to 19 digits")
    }
    let sequence = body.value(.panSequenceNumber)?.first
    let card = try application(number, sequence)?.card
    func declined(_ code: String, _ reason: String) throws(AccessError) -> PaymentAuthorization {
      let isUnknown = code == DeclineCode.invalidCardNumber
      try recordAttempt(body, number, of: isUnknown ? nil : card, code, reason)
      let decision: PaymentAuthorization.Decision = isUnknown ? .unknownCard : .declined
      return PaymentAuthorization(decision, responseCode: code, reason: reason)
    }
    if body.isMagStripe, body.trackNumber != number {
      return try declined(DeclineCode.doNotHonour, "the track has another account number")
    }
    if body.isMagStripe, let card, try isMagStripeLocked(card) {
      return try declined(DeclineCode.doNotHonour, "too many wrong codes: mag-stripe mode is locked")
    }
    let issuer = try issuer(of: body, number, sequence)
    guard issuer.isAccepted(at: now) else {
      if let card { try show(body, of: card) }
      try auditCounted(.payment, "declined")
      return try declined(
        DeclineCode.doNotHonour, "the keys of the payment are not accepted any more: replenish the card")
    }
    switch try decision(on: body, number, sequence, by: issuer.issuer) {
    case .unknownCard:
      return try declined(DeclineCode.invalidCardNumber, "the issuer does not know the card")
    case .declined(let reason):
      if reason == .wrongCode, let card { try countWrongCode(of: card) }
      if let card { try show(body, of: card) }
      try auditCounted(.payment, "declined")
      return try declined(
        reason == .retired ? DeclineCode.restrictedCard : DeclineCode.doNotHonour, "\(reason)")
    case .approved(let authenticationData):
      if !body.isMagStripe, let card { try unlockMagStripe(card) }
      return try conclude(body, number, sequence, authenticationData, by: issuer.issuer)
    }
  }

  /// The issuer with the generation of keys from which the counter of a payment was granted; the newest generation for an
  /// unknown card.
  private func issuer(
    of body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?
  ) throws(AccessError) -> IssuerGeneration {
    guard let (application, counter) = try use(in: body, number, sequence),
      let card = try transaction.card(application.card)
    else { return try keys.issuer() }
    let granted = try transaction.generation(ofCounter: counter, place: application.place, ofCard: card.id)
    return try keys.issuer(generation: granted ?? card.generation)
  }

  /// The application of a payment, and its counter; nil for an unknown card.
  private func use(
    in body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?
  ) throws(AccessError) -> (CardApplicationRecord, Int)? {
    if body.isMagStripe, let track2 = body.value(PaymentAuthorizationRequest.track2Tag) {
      let ledger = StoreLedger(transaction: transaction)
      guard let (account, counter) = try Issuer.magStripeCounter(ofTrack2: track2, in: ledger) else { return nil }
      return try transaction.cardApplication(number.exposedDigits, Int(account.sequenceNumber)).map {
        ($0, Int(counter))
      }
    }
    return try transaction.cardApplication(number.exposedDigits, Int(sequence ?? 0)).map { ($0, body.counter) }
  }

  private func decision(
    on body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?, by issuer: Issuer
  ) throws(AccessError) -> Issuer.Decision {
    var ledger = StoreLedger(transaction: transaction)
    // Mag-stripe mode has no cryptogram, but a code in track 2.
    if body.isMagStripe, let track2 = body.value(PaymentAuthorizationRequest.track2Tag) {
      let date = body.value(.transactionDate).flatMap(TransactionDate.init(numeric:))
      return try issuer.authorizeMagStripe(track2: track2, on: date, in: &ledger)
    }
    return try issuer.authorize(
      accountNumber: number, sequenceNumber: sequence, in: &ledger, data: body.value)
  }

  /// Approves a genuine payment unless it is a refund, or the card or its device was stopped. The counter is used either way, and the scripts that
  /// were ordered are sent either way.
  private func conclude(
    _ body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, _ sequence: UInt8?,
    _ authenticationData: [UInt8]?, by issuer: Issuer
  ) throws(AccessError) -> PaymentAuthorization {
    guard let application = try application(number, sequence), let card = try transaction.card(application.card) else {
      throw .damaged("the card of a payment is not in the database")
    }
    let counter = application.lastCounter ?? 0
    let isRefund = body.value(.transactionType)?.first == TransactionType.refund.rawValue
    // Approved, it would be shown and counted as a payment.
    let obstacle = try isRefund ? "the issuer takes no refunds" : obstacle(to: card)
    let code = obstacle == nil ? "00" : isRefund ? DeclineCode.notPermitted : DeclineCode.restrictedCard
    let payment = CardPayments.Entry(
      at: now, amount: body.amount, currency: body.currency, counter: counter, isApproved: obstacle == nil,
      responseCode: code)
    try transaction.save(CardPaymentRecord(card: card.id, payment: payment))
    try audit(.payment, obstacle ?? "approved", account: card.account, device: card.device)
    let scripts = try scripts(for: card, application, body, by: issuer)
    if let obstacle {
      try recordAttempt(body, number, of: card.id, code, obstacle)
      return PaymentAuthorization(.declined, responseCode: code, scripts: scripts, reason: obstacle)
    }
    let digits = String(counter)
    return PaymentAuthorization(
      .approved, responseCode: code,
      authorizationCode: String(repeating: "0", count: 6 - digits.count) + digits,
      authenticationData: authenticationData, scripts: scripts)
  }

  /// The scripts for the response to a genuine payment with a new counter; none in mag-stripe mode, which has no cryptogram.
  private func scripts(
    for card: IssuedCardRecord, _ record: CardApplicationRecord, _ body: PaymentAuthorizationRequest, by issuer: Issuer
  ) throws(AccessError) -> [UInt8] {
    let applications = try card.image().applications
    guard let cryptogram = body.value(.applicationCryptogram).flatMap({ UInt64(bigEndian: $0) }),
      let counter = UInt16(exactly: record.lastCounter ?? 0), applications.indices.contains(record.place)
    else { return [] }
    return try sendScripts(to: card, applications[record.place], cryptogram: cryptogram, counter: counter, by: issuer)
  }

  /// Adds a declined payment to the list that the operator and the user see. A card has at most `shownLimit` a day, since
  /// anybody can cause them.
  private func show(_ body: PaymentAuthorizationRequest, of card: String) throws(AccessError) {
    guard try countFailure(of: .shownPayments(card: card), period: Self.codePeriod) <= Self.shownLimit else { return }
    let payment = CardPayments.Entry(
      at: now, amount: body.amount, currency: body.currency, counter: body.counter, isApproved: false,
      responseCode: DeclineCode.doNotHonour)
    try transaction.save(CardPaymentRecord(card: card, payment: payment))
  }

  private func application(
    _ number: PrimaryAccountNumber, _ sequence: UInt8?
  ) throws(AccessError) -> CardApplicationRecord? {
    if let exact = try transaction.cardApplication(number.exposedDigits, Int(sequence ?? 0)) { return exact }
    // A track has no sequence number.
    return try transaction.cardApplications(number.exposedDigits).first
  }

  /// Why a card may not pay; nil when it may.
  private func obstacle(to card: IssuedCardRecord) throws(AccessError) -> String? {
    if card.state != .active { return "the card is \(card.state.rawValue)" }
    guard let device = try transaction.walletDevice(card.device),
      try wallet(device.wallet).userName.hasSameOctets(as: card.account)
    else { return "the device of the card is unlinked" }
    return device.state == .active ? nil : "the device of the card is deactivated"
  }
}

extension PaymentAuthorizationRequest {
  /// Track 2 of mag-stripe mode (EMV Contactless Book C-2, annex A).
  fileprivate static let track2Tag: Tag = 0x9F6B

  /// Whether the payment is one of mag-stripe mode: it has a code in track 2 instead of a cryptogram.
  fileprivate var isMagStripe: Bool { value(.applicationCryptogram) == nil && value(Self.track2Tag) != nil }

  /// Tag 9F36; 0 without it.
  fileprivate var counter: Int {
    (value(.applicationTransactionCounter) ?? []).suffix(2).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The account number of track 2, or nil.
  fileprivate var trackNumber: PrimaryAccountNumber? {
    value(Self.track2Tag).flatMap { Track2EquivalentData($0)?.accountNumber }
  }

  /// The value of a tag, or nil.
  fileprivate func value(_ tag: Tag) -> [UInt8]? { elements["\(tag)"] }

  /// The amount in the smallest unit of the currency; 0 without one.
  var amount: Int64 { number(.amountAuthorised) }

  /// The number of the currency, 0...999; 0 without one.
  var currency: Int { min(Int(number(.transactionCurrencyCode)), 999) }

  /// The number of a tag in the format n: two decimal digits in each byte. 0 without the tag or for another format.
  fileprivate func number(_ tag: Tag) -> Int64 { Int64((value(tag) ?? []).hex) ?? 0 }
}
