internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import ServerStore

extension IssuerRules {
  var issuerConfiguration: IssuerConfiguration { configuration.issuer }

  /// The cards that a wallet has on a device.
  func cards(of caller: WalletCaller) throws(AccessError) -> CardList {
    let cards = try transaction.cards(of: caller.account, onDevice: caller.deviceID)
    let entries = try cards.map { card throws(AccessError) in try entry(card) }
    return CardList(entries, profiles: issuerConfiguration.cards.map(\.name))
  }

  /// Makes a card with its own account number for a device, and delivers it with its first keys. A repeated request
  /// delivers the same card and the same keys.
  ///
  /// - Throws: A refusal: `notFound` for an unknown profile, `forbidden` when the device has too many cards.
  func addCard(_ body: CardAddition, for caller: WalletCaller) throws(AccessError) -> CardDelivery {
    if let known = try transaction.card(ofDevice: caller.deviceID, delivery: body.delivery) {
      try requireActive(known)
      if try !isUsable(body.delivery, of: known) {
        try grant(body.delivery, of: known, try known.image(), notBelow: [])
      }
      return try deliver(body.delivery, of: known, to: caller, isNew: true)
    }
    let templates = issuerConfiguration.cards
    guard let template = templates.first(where: { body.profile == nil || $0.name == body.profile }) else {
      throw .refused(.notFound, "the issuer has no such card profile")
    }
    guard try transaction.cards(of: caller.account, onDevice: caller.deviceID).count < RecordLimits.cards else {
      throw .refused(.forbidden, "a device has at most \(RecordLimits.cards) cards")
    }
    let keys = try keys.issuer()
    let serial = try takeSerials(template.accountNumbers.count)
    let made = try AccessError.typed {
      try template.card(numberedFrom: serial, issuerConfiguration.accountPrefix, of: keys.issuer)
    }
    let card = IssuedCardRecord(
      id: newIdentifier(), device: caller.deviceID, account: caller.account, delivery: body.delivery,
      name: template.name, profile: String(decoding: made.json, as: UTF8.self),
      generation: keys.number, createdAt: now)
    try transaction.save(card)
    for (place, application) in made.image.applications.enumerated() {
      try transaction.save(
        CardApplicationRecord(
          accountNumber: application.accountNumber.exposedDigits, sequenceNumber: Int(application.sequenceNumber),
          card: card.id, place: place, freeCounter: Int(application.firstATC)))
    }
    try grant(body.delivery, of: card, made.image, notBelow: [])
    try audit(.cardAdded, "succeeded", account: card.account, device: card.device)
    return try deliver(body.delivery, of: card, to: caller, isNew: true)
  }

  /// Takes the next serial numbers of cards.
  ///
  /// - Returns: The first one.
  private func takeSerials(_ count: Int) throws(AccessError) -> Int {
    let stored = try transaction.setting(ServerKeys.cardSerialSetting) ?? []
    let next = stored.reduce(0) { $0 << 8 | Int($1) }
    let following = UInt64(next + count).bigEndian
    try transaction.set(
      ServerKeys.cardSerialSetting, to: (0..<8).map { UInt8(truncatingIfNeeded: following >> (8 * $0)) })
    return next
  }

  /// Checks that keys of a card may be delivered.
  ///
  /// - Throws: A refusal with code `forbidden`.
  func requireActive(_ card: IssuedCardRecord) throws(AccessError) {
    guard card.state == .active else { throw .refused(.forbidden, "the card is \(card.state.rawValue)") }
  }

  /// The card that a wallet has on a device.
  ///
  /// - Throws: A refusal with code `notFound`, also for a card of another device or another wallet.
  func card(_ id: String, of caller: WalletCaller) throws(AccessError) -> IssuedCardRecord {
    guard let card = try transaction.card(id), card.device.hasSameOctets(as: caller.deviceID),
      card.account.hasSameOctets(as: caller.account)
    else {
      throw .refused(.notFound, "the device has no such card")
    }
    return card
  }

  /// The newest payments of a card.
  func payments(ofCard id: String, for caller: WalletCaller) throws(AccessError) -> CardPayments {
    let card = try card(id, of: caller)
    return CardPayments(try transaction.payments(of: card.id, limit: RecordLimits.page).map(\.payment))
  }

  /// Deletes the cards of the device that signs the request, which has lost their keys. It needs no session: its key can be
  /// lost too.
  func deleteLostCards(_ request: SignedRequest) throws(AccessError) {
    guard let linked = try wallets.signingDevice(request).linked else { throw .notRegistered }
    try deleteCards(of: try wallet(linked.wallet).userName, onDevice: linked.deviceID)
  }

  func entry(_ card: IssuedCardRecord, showsDevice: Bool = false) throws(AccessError) -> CardEntry {
    let digits = try card.image().applications.first?.accountNumber.exposedDigits.suffix(4) ?? ""
    let orders = showsDevice ? [] : try transaction.cardScripts(of: card.id)
    return CardEntry(
      id: card.id, name: card.name, state: card.state, lastDigits: String(digits),
      device: showsDevice ? card.device : nil, createdAt: card.createdAt,
      isUnblocked: orders.contains { $0.command == .unblockApplication },
      acceptedFrom: showsDevice ? nil : try acceptedCounters(of: card))
  }
}
