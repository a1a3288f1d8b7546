internal import EMVDecoding
internal import ISO7816

/// Exchanges as they may be shown while they come, one after the other: see `Disclosure.shown(_:)` for a whole transcript.
///
/// What of an exchange may be shown follows from those before it. An account number keeps its substitute, and is hidden from
/// the exchange on in which it first appears. How many commands and responses are decoded for an exchange does not depend on
/// how many came before.
public struct ExchangeDisclosure: Sendable {
  /// What the exchanges so far hold.
  fileprivate struct State {
    var findings: RedactionFindings
    var context = DecodingContext()
    var decodedCount = 0
  }

  private let showsAll: Bool
  private var state: State
  /// The exchanges of a response that comes in parts (61xx and GET RESPONSE), so far. `state` is without them.
  private var parts: [Transcript.Exchange] = []

  /// The most parts that are read as one response: 65 536 bytes in parts of 256 (ISO/IEC 7816-4:2013, 5.1).
  private static let maximumPartCount = 256

  /// Creates the rule of a visit to a card.
  public init(_ disclosure: Disclosure) {
    showsAll = disclosure.showsAll
    let testCards = disclosure.testCards
    state = State(findings: RedactionFindings { testCards.contains($0) })
  }

  /// How many commands and responses were decoded.
  package var decodedCount: Int { state.decodedCount }

  /// Returns the next exchange as it may be shown.
  public mutating func shown(_ exchange: Transcript.Exchange) -> Transcript.Exchange {
    guard !showsAll else { return exchange }
    var plain = Transcript(exchanges: [exchange])
    RedactedText.blankSecrets(in: &plain)
    if !isContinuation(exchange) {
      state.learn(parts)
      parts = []
    }
    parts += plain.exchanges
    guard exchange.isWhole else {
      // What a part holds is certain with the whole response.
      var trial = state
      let shown = trial.redacted(parts)
      state.decodedCount = trial.decodedCount
      return shown ?? exchange
    }
    let shown = state.redacted(parts)
    parts = []
    return shown ?? exchange
  }

  private func isContinuation(_ exchange: Transcript.Exchange) -> Bool {
    !parts.isEmpty && parts.count < Self.maximumPartCount && exchange.command.count >= 4
      && exchange.command[1] == Instruction.getResponse
  }
}

extension ExchangeDisclosure.State {
  /// Takes exchanges that were shown.
  mutating func learn(_ exchanges: [Transcript.Exchange]) {
    guard !exchanges.isEmpty else { return }
    let units = RedactionUnit.units(of: exchanges, &context)
    decodedCount += units.count
    findings.add(units, of: Transcript(exchanges: exchanges))
  }

  /// Takes exchanges, and returns the last of them without cardholder data.
  mutating func redacted(_ exchanges: [Transcript.Exchange]) -> Transcript.Exchange? {
    let before = context
    var transcript = Transcript(exchanges: exchanges)
    var units = RedactionUnit.units(of: exchanges, &context)
    decodedCount += units.count
    findings.add(units, of: transcript)
    if findings.areOfTestCards { return exchanges.last }
    for _ in 0..<Redaction.maximumPasses {
      let next = findings.redacted(transcript, units)
      if next == transcript { break }
      transcript = next
      var context = before
      units = RedactionUnit.units(of: next.exchanges, &context)
      decodedCount += units.count
      findings.addRedacted(units, of: next)
    }
    return transcript.exchanges.last
  }
}

extension Transcript.Exchange {
  /// Whether no further part of the response was announced.
  fileprivate var isWhole: Bool {
    guard let response, let parsed = try? ResponseAPDU(parsing: response.span) else { return true }
    if case .bytesRemaining = parsed.status.meaning { return false }
    return true
  }
}
