internal import EMVTerminal
internal import Links
internal import Octets
internal import PaymentAcceptance

/// The measured visit to one card: a payment, and before and after it the commands that can be repeated.
struct BenchmarkVisit: CardVisitor, Sendable {
  let terminal: PaymentAcceptance
  let request: PaymentRequest
  let timing: CardTiming
  /// The repeated commands; nil for a payment alone.
  var repeated: RepeatedCommands?
  /// Receives the number of rounds done.
  var progress: @Sendable (Int) -> Void = { _ in }
  private(set) var tap: MeasuredTap?
  /// Why the visit ended early; nil when it is complete.
  private(set) var failure: LinkError?

  init(_ request: PaymentRequest, at terminal: PaymentAcceptance, timing: CardTiming) {
    (self.request, self.terminal, self.timing) = (request, terminal, timing)
  }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    do throws(LinkError) {
      try repeated?.runBefore(over: &channel, progress: progress)
      let before = timing.nanoseconds
      let result = terminal.result(of: request, over: &channel)
      tap = MeasuredTap(result, timing, cardTime: timing.nanoseconds - before)
      try repeated?.runAfter(over: &channel, progress: progress)
    } catch { failure = error }
  }
}

/// How the time of the card is found.
enum CardTiming: Sendable {
  /// Not at all: the card is at a reader.
  case unknown
  /// It is the time of the exchanges: nothing is between terminal and card.
  case wholeExchange
  /// On the card's thread.
  case measured(CardTime)

  var nanoseconds: Int64 { if case .measured(let time) = self { time.nanoseconds } else { 0 } }
}

/// One payment with its times.
struct MeasuredTap: Sendable {
  let result: PaymentResult
  /// The time of the card; nil when it cannot be measured.
  let card: Int64?
  let exchanges: [Exchange]

  /// - Parameter cardTime: The time of the card, if it was measured.
  init(_ result: PaymentResult, _ timing: CardTiming, cardTime: Int64) {
    self.result = result
    exchanges = result.record.exchanges
    card =
      switch timing {
      case .unknown: nil
      case .wholeExchange: exchanges.reduce(0) { $0 + $1.nanoseconds }
      case .measured: cardTime
      }
  }

  /// From the first command until the last response.
  var whole: Int64 {
    guard let first = exchanges.first, let last = exchanges.last else { return 0 }
    return last.begun.nanoseconds - first.begun.nanoseconds + last.nanoseconds
  }

  /// The time of all exchanges: card and link together.
  var exchanged: Int64 { exchanges.reduce(0) { $0 + $1.nanoseconds } }

  /// The outcome in words.
  var ending: String {
    switch result {
    case .success(let receipt):
      receipt.outcome.kind.rawValue + (receipt.outcome.failure.map { ", \($0)" } ?? "")
    case .failure(let failure): failure.description
    }
  }

  /// Whether the payment was approved.
  var isApproved: Bool { if case .success(let receipt) = result { receipt.outcome.kind == .approved } else { false } }
}
