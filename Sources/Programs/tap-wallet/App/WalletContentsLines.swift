import AccessMessages
import CardProvisioning
import ContactlessPayment
import JSON
import ProgramSupport

extension WalletRun {
  /// How many payments are shown.
  private static let shownPayments = 3

  /// Prints the contents of a wallet that was opened: the cards with the payments that are left, and the last payments. A
  /// failure is noted: the wallet is open without them.
  func showContents() async {
    do {
      let cards = try await cards()
      let list = try await cards.service.follow(cards.wallet)
      try await show(list, of: cards)
      for (card, payment) in try await cards.payments(of: list).prefix(Self.shownPayments) {
        output.event("payment", payment.members(card), text: payment.line(card))
      }
    } catch { output.notDone("contents", CommandFailure(any: error)) }
  }

  /// Prints the cards of the issuer.
  func show(_ list: CardList, of cards: WalletCards) async throws {
    let own = try await cards.own()
    for card in own {
      let entry = list.cards.first { $0.id == card.id }
      output.event("card", card.members(entry), text: card.line(entry))
    }
  }
}

extension WalletCards {
  /// The payments that reached the issuer, newest first.
  func payments(of list: CardList) async throws -> [(CardEntry, CardPayments.Entry)] {
    var payments: [(CardEntry, CardPayments.Entry)] = []
    for card in list.cards { payments += try await service.payments(ofCard: card.id).payments.map { (card, $0) } }
    return payments.sorted { $0.1.at > $1.1.at }
  }
}
