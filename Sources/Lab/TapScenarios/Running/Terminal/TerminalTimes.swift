internal import Octets
internal import PaymentAcceptance

/// The times of a terminal in a tap: from each response of the card to the next command.
struct TerminalTimes {
  private let expectations: TerminalExpectations
  private let share: Int64

  /// - Parameter share: The time that the link takes in an exchange, which does not count.
  init(_ expectations: TerminalExpectations, share: Duration) {
    (self.expectations, self.share) = (expectations, share.nanoseconds)
  }

  /// Every time that was exceeded.
  func failures(in exchanges: [Exchange]) -> [ScenarioFailure] {
    let times = times(of: exchanges)
    let late = expectations.budgets.flatMap { budget in
      budget.commands.selected(from: exchanges).compactMap { exchange -> ScenarioFailure? in
        guard let time = times[exchange.number], time > budget.nanoseconds else { return nil }
        return ScenarioFailure(
          exchange, "time before \(exchange.name)", "at most \(TimeUnit.milliseconds.text(budget.nanoseconds))",
          TimeUnit.milliseconds.text(time))
      }
    }
    return late + wholeFailures(exchanges, times)
  }

  private func wholeFailures(_ exchanges: [Exchange], _ times: [Int: Int64]) -> [ScenarioFailure] {
    guard let limit = expectations.wholeTap else { return [] }
    let presentations = Dictionary(grouping: exchanges, by: \.tap).sorted { $0.key < $1.key }.map(\.value)
    return presentations.compactMap { presentation in
      let sum = presentation.compactMap { times[$0.number] }.reduce(0, &+)
      guard sum > limit else { return nil }
      return ScenarioFailure(
        presentation.last, "time of the whole tap", "at most \(TimeUnit.milliseconds.text(limit))",
        TimeUnit.milliseconds.text(sum))
    }
  }

  /// The time before each command by its number. The first command of a presentation has none.
  private func times(of exchanges: [Exchange]) -> [Int: Int64] {
    let pairs = zip(exchanges, exchanges.dropFirst()).compactMap { before, next -> (Int, Int64)? in
      guard before.tap == next.tap else { return nil }
      let end = before.begun.nanoseconds &+ before.nanoseconds
      return (next.number, max(0, next.begun.nanoseconds &- end &- share))
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension TerminalCheck {
  /// Returns every time of the terminal that was exceeded. The whole time between two exchanges counts at a link whose
  /// share is not known: such a time is a warning.
  public func lateness(in tap: TerminalTap) -> [ScenarioFailure] {
    TerminalTimes(expectations, share: tap.linkShare ?? .zero).failures(in: tap.exchanges)
  }
}
