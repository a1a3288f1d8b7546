import CardExploration
import EMVCard
import EMVTerminal
import Octets
import PaymentAcceptance
import ProgramSupport
import DisplayText
import Transcripts

/// A payment for people who see the first one: the verdict, the exchanges with a line each, and what to try next.
struct DemoText {
  let result: PaymentResult
  let request: PaymentRequest
  let image: CardImage
  let arming: Duration
  let disclosure: Disclosure

  /// One line: the outcome, the amount and the time.
  var verdict: String {
    let amount = "\(request.amount) \(request.currency.alphabeticCode)"
    guard case .success(let receipt) = result else { return Console.coloured("FAILED: \(amount)", .red) }
    let count = receipt.exchanges.count
    let time = "\(count.counted("exchange")) in \(Duration.nanoseconds(receipt.cardNanoseconds).text)"
    if receipt.outcome.kind == .approved {
      let verification = receipt.outcome.verification.rawValue
      return Console.coloured("APPROVED", .green) + ": \(amount), cardholder verification \(verification), \(time)"
    }
    let reason = receipt.outcome.failure.map { ": \($0)" } ?? ""
    return Console.coloured(receipt.outcome.kind.rawValue.uppercased(), .red) + ": \(amount), \(time)\(reason)"
  }

  /// The verdict, a table of the exchanges, and three commands.
  var lines: [String] {
    [verdict, "card: \(image.name), keys of the test issuer; verified and armed in \(arming.text)", ""] + table + [""]
      + next
  }

  private var table: [String] {
    let shown = disclosure.shown(result.record.transcript).exchanges
    let rows = zip(result.record.exchanges, shown).map { exchange, octets in
      [
        "\(exchange.number)", exchange.phase.rawValue, octets.response?.statusText ?? "none",
        TimeUnit.microseconds.number(exchange.nanoseconds), ExchangeMeaning(octets).text,
      ]
    }
    return TextTable([["", "command", "status", "us", "meaning"]] + rows).lines()
  }

  private var next: [String] {
    [
      "Try next:",
      "  tap demo --verbose                                      the bytes of each exchange in words",
      "  tap card new --scheme visa -o card.json                 a card of your own: tap demo --card card.json",
      "  tap lab pcsc --card card.json                           a reader with that card, for every PC/SC program",
    ]
  }
}
