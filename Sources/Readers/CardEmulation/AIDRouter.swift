public import ISO7816
public import Octets

/// Decides which commands reach a card, by the application names that were declared for it. Pure: command in, decision
/// out.
///
/// ```
/// SELECT of a declared name          -> the card; its application is the selected one
/// SELECT of any other name           -> 6A82; nothing is selected
/// any other command, with a name     -> the card
/// any other command, without a name  -> 6985
/// ```
/// A terminal reads the directory before it selects an application, so a selection after the directory deselects
/// nothing.
public struct AIDRouter: Equatable, Sendable {
  /// The decision on one command.
  public struct Decision: Equatable, Sendable {
    /// The status word that responses in place of the card, or nil when the card answers.
    public let refusal: StatusWord?
    /// Whether the terminal has deselected the selected application by choosing another name.
    public let deselects: Bool
  }

  /// The declared names.
  public let declared: DeclaredAIDs
  /// The name that the terminal selected last, or nil when it is not a declared one.
  public private(set) var selected: AID?

  /// Creates a router with nothing selected.
  public init(_ declared: DeclaredAIDs) {
    self.declared = declared
  }

  /// Decides on one command. Any bytes are allowed.
  public mutating func route(_ command: Span<UInt8>) -> Decision {
    guard command.isSelectionByName else {
      return Decision(refusal: selected == nil ? .conditionsNotSatisfied : nil, deselects: false)
    }
    guard let layout = try? CommandLayout(parsing: command) else {
      return Decision(refusal: .wrongLength, deselects: false)
    }
    let previous = selected
    let end = layout.dataOffset + layout.dataCount
    selected = AID(command.extracting(layout.dataOffset..<end).array).flatMap { declared.covers($0) ? $0 : nil }
    let deselects = previous.map { $0 != selected && !$0.isDirectory } ?? false
    return Decision(refusal: selected == nil ? .notFound : nil, deselects: deselects)
  }

  /// Clears the selection: after any field event nothing is selected.
  public mutating func fieldChanged() {
    selected = nil
  }
}

extension Span<UInt8> {
  /// SELECT with P1 = 04, by DF name, in any interindustry class (ISO/IEC 7816-4:2013, SELECT).
  fileprivate var isSelectionByName: Bool {
    count >= 4 && self[0] & 0x80 == 0 && self[1] == Instruction.select && self[2] == 0x04
  }
}

extension AID {
  /// `2PAY.SYS.DDF01` and `1PAY.SYS.DDF01`: directories of applications, not applications (EMV Book B, 3.3; EMV 4.4
  /// Book 1, 12).
  fileprivate var isDirectory: Bool { Self.directories.contains(octets) }

  private static let directories = ["2PAY.SYS.DDF01", "1PAY.SYS.DDF01"].map { Array($0.utf8) }
}

/// A card that receives only the commands for its declared names. It can wrap any card.
///
/// The wrapped card receives `FieldEvent.deselected` when the terminal selects another name.
public struct RoutedResponder<Responder: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
  /// The card.
  public var responder: Responder
  /// The declared names and the selection.
  public private(set) var router: AIDRouter

  /// Wraps a card.
  public init(_ responder: consuming Responder, declared: DeclaredAIDs) {
    self.responder = responder
    router = AIDRouter(declared)
  }

  /// Passes the command to the card, or answers `6A82` (another name), `6985` (no name selected) or `6700` (a malformed
  /// SELECT).
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

  /// Passes the report to the card.
  public mutating func responseSent() { responder.responseSent() }

  /// Clears the selection and passes the event to the card.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    router.fieldChanged()
    responder.fieldChanged(event, at: instant)
  }
}
