internal import Octets

extension Transcript {
  /// The side that recorded.
  public enum Role: String, Sendable {
    /// The terminal: commands that it sent and responses that it received.
    case terminal
    /// The card: commands that it received, responses that it sent, and field events.
    case card
  }

  /// The side that recorded; nil without the directive.
  public var role: Role? {
    get { self[.role].flatMap(Role.init) }
    set { self[.role] = newValue?.rawValue }
  }

  /// The time of the transaction as the terminal puts it in tags 9A and 9F21; nil without the directive.
  public var clock: TransactionMoment? {
    get { self[.clock].flatMap { TransactionMoment($0) } }
    set { self[.clock] = newValue?.description }
  }

  /// All random bytes that the recording side drew, in order; nil without the directive.
  public var random: [UInt8]? {
    get { self[.random].flatMap { try? [UInt8](hex: $0) } }
    set { self[.random] = newValue?.hex }
  }

  /// The card's transaction counter (ATC) before the tap; nil without the directive.
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
