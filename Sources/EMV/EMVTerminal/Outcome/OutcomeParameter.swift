/// A parameter of an outcome, by the name that reports and scenarios use (EMV Contactless Book A, outcome parameter set).
/// The kind of the outcome, its message and the cardholder verification have places of their own there.
public enum OutcomeParameter: String, CaseIterable, Sendable {
  /// Where the payment goes on when the card is presented again: `B` or `D`.
  case start
  /// Whether the kernel needs the card for the host's response.
  case onlineResponse
  /// The state of the reader with the message.
  case status
  /// The language of the messages.
  case language
  /// How long the message stays at least.
  case hold
  /// The message before the card is presented again.
  case restartMessage
  /// How long the field stays off before the card is presented again.
  case fieldOff
  /// How long a card that is held for the host's response stays powered.
  case removalTimeout
  /// The interface to try next.
  case alternateInterface
  /// Whether the payment needs a receipt.
  case receipt
  /// Whether there are data for the host or for clearing.
  case dataRecord
  /// Whether the kernel has further data.
  case discretionaryData

  /// A value.
  public enum Value: Hashable, Sendable, CustomStringConvertible {
    /// A word or a text.
    case text(String)
    /// Yes or no.
    case flag(Bool)
    /// A time.
    case milliseconds(Int)

    /// `contact chip`, `yes`, `1300 ms`.
    public var description: String {
      switch self {
      case .text(let text): text
      case .flag(let flag): flag ? "yes" : "no"
      case .milliseconds(let count): "\(count) ms"
      }
    }
  }

  /// Returns the value in an outcome; nil where the outcome has none.
  public func value(in outcome: PaymentOutcome) -> Value? {
    switch self {
    case .start: outcome.restart.map { _ in .text(PaymentOutcome.Restart.start) }
    case .onlineResponse: outcome.onlineResponse == .none ? nil : .text(outcome.onlineResponse.rawValue)
    case .status: outcome.status.map { .text($0.rawValue) }
    case .language: .text(outcome.language.rawValue)
    case .hold: outcome.holdMilliseconds > 0 ? .milliseconds(outcome.holdMilliseconds) : nil
    case .restartMessage: outcome.restartRequest.map { .text($0.text) }
    case .fieldOff: outcome.fieldOffMilliseconds.map { .milliseconds($0) }
    case .removalTimeout: outcome.removalTimeoutMilliseconds.map { .milliseconds($0) }
    case .alternateInterface: outcome.alternateInterface.map { .text($0.rawValue) }
    case .receipt: .flag(outcome.isReceiptWanted)
    case .dataRecord: .flag(outcome.hasDataRecord)
    case .discretionaryData: .flag(!outcome.discretionaryData.isEmpty)
    }
  }
}
