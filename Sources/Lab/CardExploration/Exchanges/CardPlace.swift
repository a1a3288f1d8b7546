public import Links
internal import Octets

/// A visitor of cards that begins again with the next card when a card has left before its first response.
public protocol PatientVisitor: CardVisitor, Sendable {
  /// The failure of a card that left before its first response; nil for any other end of the last visit.
  var unansweredFailure: LinkError? { get }
}

/// A reader for commands without a payment.
public struct CardPlace: Sendable {
  private let reader: any CardReader
  private let hasNextCard: Bool
  /// Ends what was started for the card.
  public let close: @Sendable () async -> Void

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - hasNextCard: Whether another card can come after the first.
  ///   - close: Ends what was started for the card.
  public init(
    _ reader: any CardReader, hasNextCard: Bool = true, close: @escaping @Sendable () async -> Void = {}
  ) {
    (self.reader, self.hasNextCard, self.close) = (reader, hasNextCard, close)
  }

  /// Waits for a card, passes it to the visitor, and switches the field off. A card that leaves before its first response
  /// has only passed the reader: the next card is awaited.
  ///
  /// - Parameter timeout: The longest wait for a card.
  /// - Returns: The visitor after its visit.
  /// - Throws: `LinkError` when there was no card.
  public func visit<Visitor: PatientVisitor>(_ visitor: Visitor, timeout: Duration) async throws -> Visitor {
    let result = await Result { () async throws(LinkError) in try await stay(visitor, timeout: timeout) }
    await close()
    return try result.get()
  }

  /// As `visit`, but the reader stays open: further visits may follow, then `close`.
  public func stay<Visitor: PatientVisitor>(
    _ visitor: Visitor, timeout: Duration
  ) async throws(LinkError) -> Visitor {
    let hasNextCard = hasNextCard
    return try await passField(timeout: timeout) { field in
      Result { () throws(LinkError) in
        var visitor = visitor
        let (clock, start) = (SystemClock(), SystemClock().now)
        while true {
          let rest = max(timeout - (clock.now - start), .zero)
          try field.nextCard(after: .zero, timeout: rest, &visitor)
          guard hasNextCard, rest > .zero, let failure = visitor.unansweredFailure, field.hasCardLeft(after: failure)
          else { return visitor }
        }
      }
    }.get()
  }

  /// Opens the reader, passes its field to a function on a thread of its own, and closes it.
  ///
  /// - Parameter timeout: The longest wait for a card while the reader is opened.
  /// - Throws: `LinkError` when the reader cannot be opened.
  public func withField<Value: Sendable>(
    timeout: Duration, _ body: @escaping @Sendable (inout any CardField) -> Value
  ) async throws -> Value {
    let result = await Result { () async throws(LinkError) in try await passField(timeout: timeout, body) }
    await close()
    return try result.get()
  }

  private func passField<Value: Sendable>(
    timeout: Duration, _ body: @escaping @Sendable (inout any CardField) -> Value
  ) async throws(LinkError) -> Value {
    let reader = reader
    let thread = DedicatedThread(named: "terminal") { () throws(LinkError) -> Value in
      let opened = try reader.open(timeout: timeout)
      defer { opened.restore?() }
      var field = opened.field
      return body(&field)
    }
    return try await thread.value()
  }
}

extension Result {
  /// Runs work and keeps its value or its error.
  fileprivate init(_ work: () async throws(Failure) -> Success) async {
    do {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
