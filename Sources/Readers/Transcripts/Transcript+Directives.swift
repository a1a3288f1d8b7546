internal import Octets

extension Transcript {
  /// Which side recorded.
  public enum Role: String, Sendable {
    /// The terminal's: commands as they left, responses as they came.
    case terminal
    /// The card's: commands as they came, responses as they left, field events.
    case card
  }

  /// Which side recorded; nil when the transcript does not say.
  public var role: Role? {
    get { self[.role].flatMap(Role.init) }
    set { self[.role] = newValue?.rawValue }
  }

  /// The time of the transaction as the terminal puts it in tags 9A and 9F21.
  public var clock: TransactionMoment? {
    get { self[.clock].flatMap { TransactionMoment($0) } }
    set { self[.clock] = newValue?.description }
  }

  /// All random octets that the recording side drew, in order; nil when the transcript does not say.
  public var random: [UInt8]? {
    get { self[.random].flatMap { try? [UInt8](hex: $0) } }
    set { self[.random] = newValue?.hex }
  }

  /// The card's transaction counter (ATC) before the tap.
  public var transactionCounter: UInt16? {
    get { self[.transactionCounter].flatMap { UInt16($0) } }
    set { self[.transactionCounter] = newValue.map { String($0) } }
  }

  /// The field events after the last response.
  public var closingFieldEvents: [RecordedFieldEvent] {
    (closingNotes + (exchanges.last.map { $0.response == nil ? $0.responseNotes : [] } ?? []))
      .compactMap(RecordedFieldEvent.init)
  }
}
