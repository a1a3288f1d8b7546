internal import AccessMessages
internal import Markup

extension OperatorPage {
  /// The cards.
  static let cards = OperatorPage(path: PagePath.cards, title: "Cards") { rules, request in
    let cards = try rules.transaction.cards(after: request.start(), limit: recordCount)
    let rows = try cards.map { card -> [HTML] in
      [
        "\(card.name)<small>ending with \(try rules.entry(card).lastDigits)</small>",
        "\(card.account)<small>\(try rules.deviceName(of: card))</small>", PageValue.moment(card.createdAt),
        PageValue.state(card.state.rawValue), button(of: card, request),
      ]
    }
    return """
      \(PageTable(columns: ["Card", "User", "Since", "State", "Action"], rows: rows, empty: "There is no card.").html)
      \(request.next("after", cards.count == recordCount ? cards.last?.id : nil))
      """
  }

  private static func button(of card: CardRecord, _ request: PageRequest) -> HTML {
    switch card.state {
    case .active: request.button("Suspend", PagePath.cards, [("id", card.id), ("state", "suspended")])
    case .suspended: request.button("Resume", PagePath.cards, [("id", card.id), ("state", "active")])
    case .deleted: .empty
    }
  }
}

extension Rules {
  /// The name of the device of a card, for people.
  fileprivate func deviceName(of card: CardRecord) throws(AccessStoreError) -> String {
    try transaction.walletDevice(card.device)?.name ?? "the device is unlinked"
  }
}
