public import Transcripts

/// Receives each exchange with a card as soon as it is complete.
public protocol ExchangeObserver: Sendable {
  /// Receives the last exchange of a recording.
  ///
  /// - Parameters:
  ///   - cause: Why its command was sent.
  ///   - recording: All exchanges so far, not redacted.
  mutating func observe(_ cause: CardExchanges.Cause, of recording: Recording)
}
