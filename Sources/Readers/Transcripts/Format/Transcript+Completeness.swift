extension Transcript {
  /// Why a part of a recording is missing.
  public enum Truncation: Equatable, Sendable, CustomStringConvertible {
    /// The head announces another number of exchanges, or the end counts another number, than the transcript has.
    case exchangeCount(recorded: Int, present: Int)
    /// The head announces the number of exchanges, but the directive `end` is missing after the last of them.
    case missingEnd(present: Int)
    /// The last command has neither a response nor the reason of its absence, though the head has an outcome.
    case missingResponse(exchange: Int, outcome: String)

    /// A sentence with the numbers.
    public var description: String {
      switch self {
      case .exchangeCount(let recorded, let present):
        "the recording is incomplete: \(recorded) exchanges were recorded, \(present) are in it"
      case .missingEnd(let present):
        "the recording is incomplete: the directive \"end\" after exchange \(present) is missing"
      case .missingResponse(let exchange, let outcome):
        "the recording is incomplete: it ends in exchange \(exchange) without a response, though its outcome is "
          + "\"\(outcome)\""
      }
    }
  }

  /// Writes the number of exchanges into the head and to the end, so that a reader can see whether a part is missing.
  public mutating func markComplete() {
    self[.exchangeCount] = nil
    self[.end] = nil
    self[.exchangeCount] = String(exchanges.count)
    closingNotes.append(.directive(.end, String(exchanges.count)))
  }

  /// Why a part of the recording is missing, or nil.
  ///
  /// Without the directives `exchanges` and `end`, which recordings of earlier builds and of other tools do not have,
  /// only a missing last response is found, and only when the head has an outcome.
  public var truncation: Truncation? {
    let counts = [self[.exchangeCount], self[.end]].compactMap { $0.flatMap { Int($0) } }
    if let recorded = counts.first(where: { $0 != exchanges.count }) {
      return .exchangeCount(recorded: recorded, present: exchanges.count)
    }
    if self[.exchangeCount] != nil, self[.end] == nil { return .missingEnd(present: exchanges.count) }
    guard let last = exchanges.last, last.response == nil, last.tornCode == nil, let outcome = self[.outcome] else {
      return nil
    }
    return .missingResponse(exchange: exchanges.count, outcome: outcome)
  }
}
