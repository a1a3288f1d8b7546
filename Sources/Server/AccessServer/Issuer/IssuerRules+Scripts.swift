internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import EMVIssuer
internal import Octets
internal import ServerStore

/// Orders of issuer scripts. An order states what a card shall become: it stands until the operator cancels it, or orders another
/// command for the same subject (the block of the application, that of the card, the value of a tag). No card reports what it has
/// executed, and many terminals ignore scripts, so the server sends every order with the response to each payment whose cryptogram
/// is right and whose counter is new. A card that executes a command again does not change.
extension IssuerRules {
  /// The most bytes of the scripts in a response. Terminals ignore longer ones.
  static let scriptLimit = 128

  /// Orders a command for a card, in place of the former order for the same subject.
  ///
  /// - Throws: A refusal: `notFound` for an unknown card, `malformed` for a command of the wrong form, `forbidden` for a
  ///   command that the card does not take, and for too many commands.
  func order(_ body: CardScript, forCard id: String) throws(AccessError) -> CardScriptOrder {
    let card = try operatedCard(id)
    let takers = try scriptApplications(of: card)
    let order = CardScriptRecord(
      card: card.id, subject: try body.subject(), id: newIdentifier(),
      command: body.command, value: try body.octets(), createdAt: now)
    try order.checkTaken(by: takers)
    let others = try transaction.cardScripts(of: card.id).filter { $0.subject != order.subject }
    let count = try scripts(others + [order], for: takers[0], cryptogram: 0, counter: 1, by: try keys.issuer().issuer)
      .count
    guard count <= Self.scriptLimit else {
      throw .refused(
        .forbidden,
        "all commands for the card have \(count.bytes) together, and a response has room for \(Self.scriptLimit): cancel one"
      )
    }
    try transaction.save(order)
    try audit(.scriptOrdered, order.text, account: card.account, device: card.device)
    return try order.message()
  }

  /// The orders that stand for a card, the oldest first.
  ///
  /// - Throws: A refusal with code `notFound`.
  func scripts(ofCard id: String) throws(AccessError) -> CardScriptOrders {
    CardScriptOrders(
      try transaction.cardScripts(of: operatedCard(id).id).map { order throws(AccessError) in try order.message() })
  }

  /// Cancels an order. What the card has executed stays.
  ///
  /// - Throws: A refusal with code `notFound`.
  func cancelScript(_ id: String, ofCard card: String) throws(AccessError) {
    let card = try operatedCard(card)
    guard let order = try transaction.cardScripts(of: card.id).first(where: { $0.id.hasSameOctets(as: id) }) else {
      throw .refused(.notFound, "the card has no such order")
    }
    try transaction.removeCardScript(order)
    try audit(.scriptCancelled, order.text, account: card.account, device: card.device)
  }

  /// The applications of a card that take scripts, at least one.
  ///
  /// - Throws: A refusal with code `forbidden` for a deleted card, and for a card that takes no scripts.
  private func scriptApplications(of card: IssuedCardRecord) throws(AccessError) -> [CardImage.Application] {
    guard card.state != .deleted else { throw .refused(.forbidden, "the card is deleted") }
    let applications = try card.image().applications.filter(\.takesScripts)
    guard !applications.isEmpty else {
      throw .refused(
        .forbidden,
        "the card takes no issuer scripts: issue one of a profile with \"scripts\" (tap card new --issuer-response)")
    }
    return applications
  }

  /// The tags that PUT DATA can write in every application of a card that takes scripts, in hexadecimal.
  ///
  /// - Throws: A refusal with code `forbidden` for a deleted card, and for a card that takes no scripts.
  func writableTags(of card: IssuedCardRecord) throws(AccessError) -> [String] {
    let sets = try scriptApplications(of: card).map { Set($0.writableValues.keys) }
    return sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }.sorted().map { "\($0)" }
  }

  private func operatedCard(_ id: String) throws(AccessError) -> IssuedCardRecord {
    guard let card = try transaction.card(id) else { throw .refused(.notFound, "there is no such card") }
    return card
  }

  /// The scripts for the response to a payment: templates 72, empty without orders, and for an application that takes none.
  ///
  /// - Parameters:
  ///   - cryptogram: Tag 9F26, which was checked.
  ///   - counter: Tag 9F36, which is new.
  ///   - issuer: The generation of keys of the payment.
  func sendScripts(
    to card: IssuedCardRecord, _ application: CardImage.Application, cryptogram: UInt64, counter: UInt16,
    by issuer: Issuer
  ) throws(AccessError) -> [UInt8] {
    let orders = application.takesScripts ? try transaction.cardScripts(of: card.id) : []
    guard !orders.isEmpty else { return [] }
    for var order in orders {
      (order.sent, order.sentAt) = (order.sent + 1, now)
      try transaction.save(order)
    }
    try audit(
      .scriptsSent, orders.map(\.text).joined(separator: ", "), account: card.account, device: card.device)
    return try scripts(orders, for: application, cryptogram: cryptogram, counter: counter, by: issuer)
  }

  /// After the second cryptogram: a block before it would turn the payment into a declined one.
  private func scripts(
    _ orders: [CardScriptRecord], for application: CardImage.Application, cryptogram: UInt64, counter: UInt16,
    by issuer: Issuer
  ) throws(AccessError) -> [UInt8] {
    let commands = try orders.map { order throws(AccessError) in try order.scriptCommand() }
    return issuer.scripts(
      [ScriptOrder(.afterSecondCryptogram, commands)], for: IssuerAccount(application), cryptogram: cryptogram,
      counter: counter)
  }
}
