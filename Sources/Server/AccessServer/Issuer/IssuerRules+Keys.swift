internal import AccessMessages
internal import Ciphers
internal import Documents
internal import EMVCard
internal import EMVCryptography
internal import EMVIssuer
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import Octets
internal import ServerStore

extension IssuerRules {
  /// Delivers further keys of a card. A repeated request delivers the same keys.
  ///
  /// - Throws: A refusal: `notFound` for the card of another device, `malformed` for a wrong number of counters,
  ///   `forbidden` for a card that may not pay or whose counter has come to its end.
  func deliverKeys(_ body: KeyRequest, ofCard id: String, for caller: WalletCaller) throws(AccessError) -> CardDelivery
  {
    let card = try card(id, of: caller)
    try requireActive(card)
    if try !isUsable(body.delivery, of: card) {
      let image = try card.image()
      guard body.freeCounters.count == image.applications.count else {
        throw .refused(
          .malformed, "\(body.freeCounters.count.counted("counter")) for \(image.applications.count) applications")
      }
      try grant(body.delivery, of: card, image, notBelow: body.freeCounters)
      try audit(.keysDelivered, "succeeded", account: card.account, device: card.device)
    }
    return try deliver(body.delivery, of: card, to: caller, isNew: false)
  }

  /// Whether a delivery was recorded, and its keys are accepted.
  func isUsable(_ delivery: String, of card: IssuedCardRecord) throws(AccessError) -> Bool {
    guard let recorded = try transaction.keyDelivery(delivery, of: card.id).first else { return false }
    return try keys.issuer(generation: recorded.generation).isAccepted(at: now)
  }

  /// For each application of a card the lowest counter whose keys are accepted, 65536 where none are; nil when all are.
  func acceptedCounters(of card: IssuedCardRecord) throws(AccessError) -> [Int]? {
    let ended = try transaction.keyGenerations(.issuerCryptogram).filter { $0.acceptedUntil.map { $0 <= now } ?? false }
    guard !ended.isEmpty else { return nil }
    let deliveries = try transaction.keyDeliveries(of: card.id)
    let accepted = deliveries.filter { delivery in !ended.contains { $0.generation == delivery.generation } }
    guard accepted.count < deliveries.count else { return nil }
    return try card.image().applications.indices.map { place in
      accepted.filter { $0.place == place }.map(\.firstCounter).min() ?? 0x1_0000
    }
  }

  /// Grants the next counters of every application of a card, with the newest keys, to a delivery, or none.
  ///
  /// - Throws: A refusal with code `forbidden` when the counter of an application has come to its end.
  func grant(_ delivery: String, of card: IssuedCardRecord, _ image: CardImage, notBelow free: [Int])
    throws(AccessError)
  {
    var ledger = StoreLedger(transaction: transaction)
    let keys = try keys.issuer()
    var grants: [KeyGrant] = []
    for (place, application) in image.applications.enumerated() {
      let least = place < free.count ? free[place] : 1
      let account = IssuerAccount(application)
      switch try keys.issuer.grant(issuerConfiguration.uses, to: account, notBelow: least, in: &ledger) {
      case .success(let grant): grants.append(grant)
      // The counters of the applications before are lost, which does not matter: the card must be issued again.
      case .failure(let refusal): throw .refused(.forbidden, "\(refusal)")
      }
    }
    for (place, grant) in grants.enumerated() {
      try transaction.save(
        KeyDeliveryRecord(
          card: card.id, delivery: delivery, place: place, firstCounter: Int(grant.firstCounter), uses: grant.uses,
          generation: keys.number, createdAt: now))
    }
  }

  /// Encrypts the keys of a recorded delivery for a device.
  func deliver(
    _ delivery: String, of card: IssuedCardRecord, to caller: WalletCaller, isNew: Bool
  ) throws(AccessError) -> CardDelivery {
    let image = try card.image()
    let recorded = try transaction.keyDelivery(delivery, of: card.id)
    guard recorded.count == image.applications.count else {
      throw .damaged("a delivery has \(recorded.count.counted("grant")) for \(image.applications.count) applications")
    }
    let issuer = try keys.issuer(generation: recorded.first?.generation ?? card.generation).issuer
    let keys = zip(image.applications, recorded).map { application, delivery in
      Self.envelopeKeys(
        of: application, KeyGrant(firstCounter: UInt16(clamping: delivery.firstCounter), uses: delivery.uses),
        by: issuer)
    }
    let content = CardEnvelope(
      card: card.id, delivery: delivery, threshold: issuerConfiguration.threshold,
      profile: isNew ? card.profile : nil, keys: keys, signingKey: isNew ? try signingKey(of: card, image) : nil)
    var octets = Array(content.json.compact.utf8)
    defer { octets.wipe() }
    let envelope = try AccessError.typed {
      try JSONWebEncryption.compact(encrypting: octets, for: caller.encryptionKey, .ecdhESA256KW, .a256GCM)
    }
    return CardDelivery(card: try entry(card), envelope: envelope)
  }

  /// The key that the certificates of a card certify, which the issuer derives again; nil for a card that makes no signatures.
  ///
  /// - Throws: `AccessStoreError` with code `damaged` for certificates of another key.
  private func signingKey(
    of card: IssuedCardRecord, _ image: CardImage
  ) throws(AccessError) -> CardEnvelope.SigningKey? {
    guard let application = image.applications.first(where: { $0.signingKey != nil }) else { return nil }
    let key = try keys.issuer(generation: card.generation).issuer.cardSigningKey(of: IssuerAccount(application))
    guard key.publicKey == application.signingKey else {
      throw .damaged("a card in the database has certificates that another issuer key made")
    }
    var primes = key.exposedPrimes().withExposedOctets { $0.array }
    defer { primes.wipe() }
    let half = primes.count / 2
    return CardEnvelope.SigningKey(
      exponent: key.publicKey.exponent, p: Array(primes[..<half]), q: Array(primes[half...]))
  }

  /// The keys of a grant: a key for each payment where the application allows it, so that the device never has the master
  /// key of the card; otherwise the master key for a number of payments.
  private static func envelopeKeys(
    of application: CardImage.Application, _ grant: KeyGrant, by issuer: Issuer
  ) -> CardEnvelope.Keys {
    func exposed(_ key: borrowing Secret) -> [UInt8] { key.withExposedOctets { $0.array } }
    let account = IssuerAccount(application)
    if account.magStripe == nil, !application.takesScripts, !account.cryptogramVersion.needsUnpredictableNumber {
      let keys = grant.counters.map { counter -> [UInt8] in
        guard let key = issuer.sessionKey(of: account, counter: counter) else {
          preconditionFailure("a version without the terminal's number has a key for every counter")
        }
        return exposed(key)
      }
      return .singleUse(keys, firstCounter: Int(grant.firstCounter))
    }
    return .limitedUse(
      masterKey: exposed(issuer.cardMasterKey(of: account)),
      cvc3Key: account.magStripe.map { _ in exposed(issuer.cardCVC3Key(of: account)) },
      scriptKey: application.takesScripts ? exposed(issuer.cardScriptKey(of: account)) : nil,
      firstCounter: Int(grant.firstCounter), uses: grant.uses)
  }
}
