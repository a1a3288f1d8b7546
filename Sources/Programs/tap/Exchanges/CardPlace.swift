import Links

/// A reader for commands without a payment: its field, to which a card comes.
struct CardPlace: Sendable {
  /// Opens the reader's field, passes it to `use` once, and closes it. Blocks.
  typealias Preparation =
    @Sendable (_ use: (inout any CardField) -> Void, _ timeout: Duration) throws(LinkError) -> Void

  let prepare: Preparation
  /// Ends what was started for the card.
  var close: @Sendable () async -> Void = {}

  /// Waits for a card, passes it to the visitor, and switches the field off.
  ///
  /// - Parameter timeout: The longest wait for a card.
  /// - Returns: The visitor after its visit.
  /// - Throws: `LinkError` when there was no card.
  func visit<Visitor: CardVisitor & Sendable>(_ visitor: Visitor, timeout: Duration) async throws -> Visitor {
    let prepare = prepare
    let thread = DedicatedThread(named: "terminal") { () throws(LinkError) -> Visitor in
      var visited: Result<Visitor, LinkError>?
      try prepare(
        { field in
          visited = Result { () throws(LinkError) in
            var visitor = visitor
            try field.nextCard(after: .zero, timeout: timeout, &visitor)
            return visitor
          }
        }, timeout)
      guard let visited else { preconditionFailure("a reader passes its field on") }
      return try visited.get()
    }
    let result = await Result { () async throws(LinkError) in try await thread.value() }
    await close()
    return try result.get()
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
