internal import AccessMessages
internal import ServerStore

extension IssuerRules {
  /// A page of all cards, for the operator.
  func listCards(after id: String?) throws(AccessError) -> CardList {
    let page = try transaction.cards(after: id, limit: RecordLimits.page)
    let entries = try page.map { card throws(AccessError) in try entry(card, showsDevice: true) }
    return CardList(entries, next: page.count == RecordLimits.page ? page.last?.id : nil)
  }

  /// Suspends or resumes a card. Resuming ends a lock of mag-stripe mode too.
  ///
  /// - Throws: A refusal: `notFound`, `forbidden` for a deleted card.
  func changeState(ofCard id: String, _ body: CardSuspension) throws(AccessError) {
    guard var card = try transaction.card(id) else { throw .refused(.notFound, "there is no such card") }
    guard card.state != .deleted else { throw .refused(.forbidden, "the card is deleted") }
    card.state = body.state == .active ? .active : .suspended
    try transaction.save(card)
    if card.state == .active { try unlockMagStripe(card.id) }
    try audit(.cardStateChanged, card.state.rawValue, account: card.account, device: card.device)
  }
}
