internal import AccessMessages
internal import Markup

extension OperatorPage {
  /// The last taps: payments of genuine cards that terminals asked the issuer to authorise.
  static let taps = OperatorPage(path: PagePath.taps, title: "Last taps") { rules, request in
    let payments = try rules.transaction.payments(before: request.start().flatMap { Int64($0) }, limit: recordCount)
    let rows = try payments.map { numbered -> [HTML] in
      let payment = numbered.payment
      let card = try rules.transaction.card(payment.card)
      let result: HTML =
        payment.isApproved
        ? "<span class=\"good\">approved</span>"
        : "<span class=\"bad\">declined<small>code \(payment.responseCode)</small></span>"
      return [
        PageValue.moment(payment.at), PageValue.amount(payment.amount, currency: payment.currency),
        try card.map { "\($0.name)<small>ending with \(try rules.entry($0).lastDigits)</small>" as HTML } ?? "unknown",
        "\(card?.account ?? "")", "\(payment.counter)", result,
      ]
    }
    let table = PageTable(
      columns: ["Time", "Amount", "Card", "User", "Counter", "Result"], rows: rows, empty: "No card has paid.")
    let last = payments.count == recordCount ? payments.last.map { String($0.number) } : nil
    return "\(table.html)\n\(request.next("after", last))"
  }
}
