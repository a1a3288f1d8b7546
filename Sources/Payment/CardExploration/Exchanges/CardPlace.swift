public import Links

/// A reader for commands without a payment: its field, to which a card comes.
public struct CardPlace: Sendable {
  /// Opens the reader's field, passes it to `use` once, and closes it. Blocks.
  public typealias Preparation =
    @Sendable (_ use: (inout any CardField) -> Void, _ timeout: Duration) throws(LinkError) -> Void

  private let prepare: Preparation
  /// Ends what was started for the card.
  public let close: @Sendable () async -> Void

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - prepare: Opens the reader's field, passes it on once, and closes it.
  ///   - close: Ends what was started for the card.
  public init(prepare: @escaping Preparation, close: @escaping @Sendable () async -> Void = {}) {
    (self.prepare, self.close) = (prepare, close)
  }

  /// Waits for a card, passes it to the visitor, and switches the field off.
  ///
  /// - Parameter timeout: The longest wait for a card.
  /// - Returns: The visitor after its visit.
  /// - Throws: `LinkError` when there was no card.
  public func visit<Visitor: CardVisitor & Sendable>(_ visitor: Visitor, timeout: Duration) async throws -> Visitor {
    let result = await Result { () async throws(LinkError) in try await stay(visitor, timeout: timeout) }
    await close()
    return try result.get()
  }

  /// Waits for a card, passes it to the visitor, and switches the field off. Further visits may follow, then `close`.
  public func stay<Visitor: CardVisitor & Sendable>(
    _ visitor: Visitor, timeout: Duration
  ) async throws(LinkError) -> Visitor {
    try await passField(timeout: timeout) { field in
      Result { () throws(LinkError) in
        var visitor = visitor
        try field.nextCard(after: .zero, timeout: timeout, &visitor)
        return visitor
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
    let prepare = prepare
    let thread = DedicatedThread(named: "terminal") { () throws(LinkError) -> Value in
      var value: Value?
      try prepare({ field in value = body(&field) }, timeout)
      guard let value else { preconditionFailure("a reader passes its field on") }
      return value
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
