/// A repeated or replayed request is not a second payment.
struct ApprovalOfOneCounter: SimulationRule {
  static let name = "the issuer approves a transaction counter of a card once"

  private struct Use: Hashable {
    let card: Int
    let counter: UInt16
  }

  private var approved: Set<Use> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    guard case .approved(let card, let counter, _) = fact else { return nil }
    return approved.insert(Use(card: card, counter: counter)).inserted
      ? nil : "card \(card): counter \(counter) is approved a second time"
  }
}

/// A till shows an approval that it got.
struct BookedPayments: SimulationRule {
  static let name = "a till approves online only what the issuer has approved, with its amount"

  private struct Payment: Hashable {
    let card: Int
    let counter: UInt16
    let amount: UInt64
  }

  private var booked: Set<Payment> = []

  mutating func add(_ fact: SimulatedFact) -> String? {
    switch fact {
    case .approved(let card, let counter, let amount):
      booked.insert(Payment(card: card, counter: counter, amount: amount))
      return nil
    case .accepted(let till, let card, let counter, let amount, isOnline: true):
      return booked.contains(Payment(card: card, counter: counter, amount: amount))
        ? nil : "till \(till): \(amount) of card \(card), counter \(counter), is not in the issuer's book"
    default: return nil
    }
  }
}
