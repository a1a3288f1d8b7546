internal import EMVTerminal
internal import Links
internal import Octets
internal import PaymentAcceptance

/// The measured visit to one card: a payment, and before and after it the commands that can be repeated.
struct BenchmarkVisit: CardVisitor, Sendable {
  let request: PaymentRequest
  let terminal: PaymentAcceptance
  let timing: CardTiming
  /// The repeated commands; nil for a payment alone.
  var repeated: RepeatedCommands?
  /// Receives the number of rounds done.
  var progress: @Sendable (Int) -> Void = { _ in }
  private(set) var tap: MeasuredTap?
  /// Why the visit ended early; nil when it is complete.
  private(set) var failure: LinkError?

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    do throws(LinkError) {
      try repeated?.runBefore(over: &channel, progress: progress)
      tap = payment(over: &channel)
      try repeated?.runAfter(over: &channel, progress: progress)
    } catch { failure = error }
  }

  private func payment<Channel: CardChannel & ~Copyable>(over channel: inout Channel) -> MeasuredTap {
    guard case .measured(let time) = timing else {
      return MeasuredTap(terminal.result(of: request, over: &channel), timing, cardTimes: [])
    }
    var timed = CardTimedChannel(consume channel, time: time)
    let result = terminal.result(of: request, over: &timed)
    let times = timed.times
    channel = timed.release()
    return MeasuredTap(result, timing, cardTimes: times)
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
}

/// One payment with its times.
struct MeasuredTap: Sendable {
  let result: PaymentResult
  /// The time of the card; nil when it cannot be measured.
  let card: Int64?
  /// Whether nothing is between terminal and card.
  let isDirect: Bool
  let exchanges: [Exchange]
  /// The time of the card in each exchange; empty when it cannot be measured.
  let cardTimes: [Int64]

  /// - Parameter cardTimes: The time of the card in each exchange, if it was measured.
  init(_ result: PaymentResult, _ timing: CardTiming, cardTimes: [Int64]) {
    self.result = result
    exchanges = result.record.exchanges
    isDirect = if case .wholeExchange = timing { true } else { false }
    switch timing {
    case .unknown: (card, self.cardTimes) = (nil, [])
    case .wholeExchange:
      self.cardTimes = exchanges.map(\.nanoseconds)
      card = result.record.cardNanoseconds
    case .measured: (card, self.cardTimes) = (cardTimes.reduce(0, +), cardTimes)
    }
  }

  /// The payment for reports.
  var timed: TimedTap { TimedTap(record: result.record, cardTimes: cardTimes) }

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
