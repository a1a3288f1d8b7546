public import ISO7816
public import Octets

/// A card that hears only of its declared names: put it in front of any card.
///
/// The card inside is told `FieldEvent.deselected` when the terminal chooses another name than the selected one.
public struct RoutedResponder<Responder: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
  /// The card.
  public var responder: Responder
  /// What was declared, and what is selected.
  public private(set) var router: AIDRouter

  /// Puts a router in front of a card.
  public init(_ responder: consuming Responder, declared: DeclaredAIDs) {
    self.responder = responder
    router = AIDRouter(declared)
  }

  /// Lets the card answer, or answers `6A82` (another name), `6985` (no name selected) or `6700` (a broken SELECT).
  ///
  /// - Returns: The length of the response, at least 2.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    let decision = router.route(command)
    if decision.deselects { responder.fieldChanged(.deselected, at: instant) }
    guard let refusal = decision.refusal else { return responder.respond(to: command, at: instant, into: &response) }
    response.put(refusal.rawValue, at: 0)
    return 2
  }

  /// Forgets the selection and tells the card.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    router.fieldChanged()
    responder.fieldChanged(event, at: instant)
  }
}
