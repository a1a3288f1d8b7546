internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The cards.
  static let cards = OperatorPage(path: PagePath.cards, title: "Cards") { page, request in
    let cards = try PagePart { try page.transaction.cards(after: request.start(), limit: $0) }
    let rows = try cards.elements.map { try page.row(of: $0, request) }
    return """
      \(PageTable.cards(rows, empty: "There is no card yet. A user adds one with tap-wallet cards add.").html)
      \(request.foot(cards, "card", next: \.id))
      """
  }
}
