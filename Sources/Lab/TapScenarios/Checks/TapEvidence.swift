internal import EMVData
internal import EMVDecoding
internal import EMVTerminal
internal import ISO7816
internal import Links
internal import PaymentAcceptance

/// The evidence of a tap: its result, and every data element that went over the wire.
struct TapEvidence {
  /// A data element in an exchange.
  struct Sighting {
    let tag: Tag
    let value: [UInt8]
    let exchange: Exchange
    let isFromCard: Bool
  }

  let exchanges: [Exchange]
  let outcome: PaymentOutcome?
  let application: SelectedApplication?
  let linkError: LinkError?
  let messages: [UserInterfaceRequest]
  private let failures: [StepFailure]
  /// Whether only the values of the terminal count, since the terminal is judged.
  private let judgesTerminal: Bool
  private(set) var sightings: [Sighting] = []

  init(_ result: Result<PaymentReceipt, AcceptanceFailure>) {
    messages = result.record.messages
    judgesTerminal = false
    switch result {
    case .success(let receipt):
      (exchanges, outcome, application) = (receipt.exchanges, receipt.outcome, receipt.application)
      (linkError, failures) = (nil, receipt.failures)
    case .failure(let failure):
      (exchanges, outcome, application) = (failure.exchanges, failure.outcome, nil)
      (linkError, failures) = (failure.linkError, failure.failures)
    }
    collect()
  }

  /// What a terminal sent and received, as the card recorded it.
  init(ofTerminal exchanges: [Exchange]) {
    (self.exchanges, messages, failures, judgesTerminal) = (exchanges, [], [], true)
    (outcome, application, linkError) = (nil, nil, nil)
    collect()
  }

  /// What a card sent and received in a tap of single commands. Only its own values count.
  init(ofCard exchanges: [Exchange]) {
    (self.exchanges, messages, failures, judgesTerminal) = (exchanges, [], [], false)
    (outcome, application, linkError) = (nil, nil, nil)
    collect()
    sightings.removeAll { !$0.isFromCard }
  }

  /// The value of each data element that the terminal sent first.
  var terminalValues: [Tag: [UInt8]] {
    Dictionary(sightings.filter { !$0.isFromCard }.map { ($0.tag, $0.value) }) { first, _ in first }
  }

  /// The evidence with fewer data elements.
  func filtered(_ isKept: (Sighting) -> Bool) -> TapEvidence {
    var evidence = self
    evidence.sightings = sightings.filter(isKept)
    return evidence
  }

  /// The reason of the outcome: the step that led to it, or else the last step that failed.
  var reason: StepFailure? { outcome?.failure ?? failures.last }

  /// The value that counts: the one in the outcome's further data; else the host's; else the card's last; else the
  /// terminal's last.
  func value(of tag: Tag) -> (value: [UInt8], exchange: Exchange?)? {
    if let value = outcome?.discretionaryData.first(where: { $0.tag == tag })?.value { return (value, nil) }
    let seen = sightings.filter { $0.tag == tag }
    if let value = outcome?.authorizationRequest?.value(tag) {
      return (value, seen.last { $0.value == value }?.exchange)
    }
    let last = judgesTerminal ? seen.last { !$0.isFromCard } : seen.last(where: \.isFromCard) ?? seen.last
    return last.map { ($0.value, $0.exchange) }
  }

  /// The account number; nil when none was seen.
  var accountNumber: PrimaryAccountNumber? {
    if let number = outcome?.authorizationRequest?.accountNumber { return number }
    if let track = value(of: .track2EquivalentData) { return Track2EquivalentData(track.value)?.accountNumber }
    return value(of: .primaryAccountNumber).flatMap { PrimaryAccountNumber(compressedNumeric: $0.value) }
  }

  /// The kind of the card's cryptogram.
  var cryptogram: TapExpectations.Cryptogram {
    if outcome?.authorizationRequest.flatMap(MagStripeData.init) != nil || value(of: 0x9F61) != nil { return .checksum }
    if let type = outcome?.cryptogram { return .type(type) }
    guard value(of: .applicationCryptogram) != nil,
      let octet = value(of: .cryptogramInformationData)?.value.first,
      let type = CryptogramType(cryptogramInformationData: octet)
    else { return .none }
    return .type(type)
  }

  /// The kind of the card's cryptogram after the issuer's response.
  var secondCryptogram: TapExpectations.Cryptogram {
    let information = sightings.last {
      $0.tag == .cryptogramInformationData && $0.isFromCard && $0.exchange.phase == .secondCryptogram
    }
    guard let octet = information?.value.first, let type = CryptogramType(cryptogramInformationData: octet) else {
      return .none
    }
    return .type(type)
  }

  private mutating func collect() {
    var context = DecodingContext()
    // A response in parts is read when it is complete.
    var pending: (command: [UInt8], data: [UInt8])?
    var tap = 1
    for exchange in exchanges {
      if exchange.tap != tap { (context, pending, tap) = (DecodingContext(), nil, exchange.tap) }
      let earlier = exchange.isContinuation ? pending : nil
      pending = nil
      let command = earlier?.command ?? exchange.command
      if earlier == nil { note(context.structure(ofCommand: command), of: command, exchange, isFromCard: false) }
      guard let response = exchange.response, response.count >= 2 else { continue }
      let whole = (earlier?.data ?? []) + response
      if response[response.count - 2] == 0x61 {
        pending = (command, Array(whole.dropLast(2)))
        continue
      }
      note(context.structure(ofResponse: whole, to: command), of: whole, exchange, isFromCard: true)
      context.learn(command: command, response: whole)
    }
  }

  private mutating func note(_ node: DecodedNode, of octets: [UInt8], _ exchange: Exchange, isFromCard: Bool) {
    if node.kind == .object, let tag = node.tag {
      sightings.append(
        Sighting(tag: tag, value: Array(octets[node.content]), exchange: exchange, isFromCard: isFromCard))
    }
    for part in node.children { note(part, of: octets, exchange, isFromCard: isFromCard) }
  }
}
