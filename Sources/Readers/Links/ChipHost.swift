public import ISO7816

/// What drives an NFC chip of the PN532's kind: libnfc, or the escape commands of a reader.
///
/// The chip does ISO-DEP by itself, as a terminal and as a card, one role at a time: ``ChipChannel`` and ``ChipLink``
/// are the roles, and these calls are for them. Each blocks, unless it says otherwise.
public protocol ChipHost: Sendable {
  /// The longest command to a card, in octets.
  static var maximumCommandCount: Int { get }
  /// The longest response of a card that the chip plays, with its status word, in octets.
  static var maximumResponseCount: Int { get }

  /// What people call the device.
  var name: String { get }

  /// Makes the chip ready for a role, before the first of the role's calls.
  func prepare(for role: ChipRole) throws(LinkError)

  /// Looks once for a card of ISO/IEC 14443 type A with ISO-DEP, and selects it.
  ///
  /// - Returns: nil when none is in the field.
  func findCard() throws(LinkError) -> FoundCard?

  /// Sends a command to the selected card and receives its response.
  ///
  /// - Parameters:
  ///   - command: 1 to `maximumCommandCount` octets.
  ///   - limit: How long the card may take.
  /// - Throws: `LinkError`: `.cardRemoved`, `.timedOut`; the card is out of step then.
  func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8]

  /// Is a card until a terminal has selected it.
  ///
  /// - Parameters:
  ///   - identifier: The UID: four octets that begin with 08.
  ///   - historicalBytes: For the ATS: at most 15.
  /// - Returns: Whether a terminal has; if not, nobody waits any more and one has to begin again.
  /// - Throws: `LinkError`: `.stopped` after `interrupt()`.
  func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool

  /// Answers the terminal, and waits for what it does next.
  ///
  /// - Parameter response: At most `maximumResponseCount` octets; nil when the terminal has just come.
  /// - Throws: `LinkError`: `.stopped` after `interrupt()`; `.cardRemoved`, `.timedOut` and `.transmissionFailed` when
  ///   the terminal, and not the chip, is lost.
  func nextAct(after response: [UInt8]?) throws(LinkError) -> TerminalAct

  /// Ends a call of the card's role that blocks in another thread. Does not block, and does nothing when there is none.
  func interrupt()

  /// Ends either role: lets go of the card, and switches the field off. What fails meanwhile is not told.
  func release()
}

/// What a chip can be.
public enum ChipRole: Sendable {
  /// It has a field, and looks for cards in it.
  case terminal
  /// It is a card in another one's field.
  case card
}

/// A card in the field of a chip.
public struct FoundCard: Equatable, Sendable {
  /// The UID: 4, 7 or 10 octets; random for a phone.
  public let identifier: [UInt8]
  /// The historical bytes of its ATS.
  public let historicalBytes: [UInt8]

  /// Describes a card by its UID and its ATS, with the length octet; one that is none tells no historical bytes.
  public init(identifier: [UInt8], answerToSelect: [UInt8]) {
    self.identifier = identifier
    historicalBytes = (try? AnswerToSelect(parsing: answerToSelect.span))?.historicalBytes ?? []
  }
}

/// What a terminal does to a card that it has selected.
public enum TerminalAct: Equatable, Sendable {
  /// Sends a command.
  case command([UInt8])
  /// Leaves, by deselecting the card or by taking its field away.
  case leaves(FieldEvent)
}
