public import ISO7816
internal import Octets

/// Decides which commands a card hears, by the names it was declared with. Pure: command in, decision out.
///
/// ```
/// SELECT of a declared name          -> the card; its application is the selected one
/// SELECT of any other name           -> 6A82; nothing is selected
/// any other command, with a name     -> the card
/// any other command, without a name  -> 6985
/// ```
/// A terminal reads the directory before it selects an application, so leaving a directory deselects nothing.
public struct AIDRouter: Equatable, Sendable {
  /// What becomes of a command.
  public struct Decision: Equatable, Sendable {
    /// The status word that answers the command without the card, or nil when the card answers.
    public let refusal: StatusWord?
    /// Whether the application that was selected is so no longer, because the terminal chose another name.
    public let deselects: Bool
  }

  /// The names.
  public let declared: DeclaredAIDs
  /// The name that the terminal selected last, when it is a declared one.
  public private(set) var selected: AID?

  /// Creates a router with nothing selected.
  public init(_ declared: DeclaredAIDs) {
    self.declared = declared
  }

  /// Decides on one command, whatever its octets are.
  public mutating func route(_ command: Span<UInt8>) -> Decision {
    guard command.isSelectionByName else {
      return Decision(refusal: selected == nil ? .conditionsNotSatisfied : nil, deselects: false)
    }
    guard let layout = try? CommandLayout(parsing: command) else {
      return Decision(refusal: .wrongLength, deselects: false)
    }
    let former = selected
    let end = layout.dataOffset + layout.dataCount
    selected = AID(command.extracting(layout.dataOffset..<end).array).flatMap { declared.covers($0) ? $0 : nil }
    let deselects = former.map { $0 != selected && !$0.isDirectory } ?? false
    return Decision(refusal: selected == nil ? .notFound : nil, deselects: deselects)
  }

  /// Takes notice of the field: whatever happens to it, nothing is selected afterwards.
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
