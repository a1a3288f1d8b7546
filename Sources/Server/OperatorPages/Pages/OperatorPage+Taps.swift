internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The last taps: payments of the issuer's cards that terminals asked to authorise. Under them, those that were not approved,
  /// also of unknown account numbers, with the reason.
  static let taps = OperatorPage(path: PagePath.taps, title: "Last taps") { page, request in
    let payments = try PagePart {
      try page.transaction.newest(CardPaymentRecord.self, before: request.start().flatMap { Int64($0) }, limit: $0)
    }
    let attempts = try PagePart {
      try page.transaction.newest(
        CardAttemptRecord.self, before: request.start("attemptsAfter").flatMap { Int64($0) }, limit: $0)
    }
    let table = PageTable(
      columns: ["Time", "Amount", "Card", "User", "Counter", "Result"],
      rows: try payments.elements.map { try page.row(of: $0.record) },
      empty: """
        No card has paid. A terminal asks this server with tap accept --issuer, and a wallet pays with tap-wallet pay.
        """)
    let refused = PageTable(
      columns: ["Time", "Amount", "Card", "User", "Reason"],
      rows: try attempts.elements.map { try page.row(of: $0.record) },
      empty: "No payment was declined in the last 30 days.")
    return """
      \(table.html)
      \(request.foot(payments, "tap") { String($0.number) })
      <h2>Declined and unknown attempts</h2>
      <p>Of the last 30 days. Of one card, at most \(page.facts.attemptLimits.perCard) a day are listed; of unknown cards, at most
      \(page.facts.attemptLimits.perAddress) of one address.</p>
      \(refused.html)
      \(request.foot(attempts, "attempt", "attemptsAfter") { String($0.number) })
      """
  }
}

extension PageReader {
  fileprivate func row(of record: CardPaymentRecord) throws(AccessError) -> [HTML] {
    let (card, payment) = (try transaction.card(record.card), record.payment)
    let result: HTML =
      payment.isApproved
      ? "<span class=\"good\">approved</span>"
      : "<span class=\"bad\">declined<small>\(PageValue.responseCode(payment.responseCode))</small></span>"
    return [
      PageValue.moment(payment.at), PageValue.amount(payment.amount, currency: payment.currency),
      name(of: card, digits: try card.map { (card) throws(AccessError) in try facts.lastDigits(of: card) } ?? ""),
      try holder(of: card),
      "\(payment.counter)", result,
    ]
  }

  fileprivate func row(of attempt: CardAttemptRecord) throws(AccessError) -> [HTML] {
    let card = try attempt.card.flatMap { (id) throws(AccessError) in try transaction.card(id) }
    let reason: HTML = """
      <span class="bad">\(attempt.reason)<small>\(PageValue.responseCode(attempt.responseCode)), from \(attempt.address)</small></span>
      """
    return [
      PageValue.moment(attempt.at), PageValue.amount(attempt.amount, currency: attempt.currency),
      name(of: card, digits: attempt.lastDigits), try holder(of: card), reason,
    ]
  }

  private func name(of card: IssuedCardRecord?, digits: String) -> HTML {
    "\(card?.name ?? "unknown")<small>ending with \(digits)</small>"
  }

  private func holder(of card: IssuedCardRecord?) throws(AccessError) -> HTML {
    try card.map { (card) throws(AccessError) in try person(card.account) } ?? .empty
  }
}
