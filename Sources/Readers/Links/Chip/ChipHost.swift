public import ISO7816

/// The port to an NFC chip of the PN532 family, through libnfc or through the escape commands of a reader.
///
/// The chip implements ISO-DEP, as a terminal and as a card, in one role at a time. ``ChipChannel`` and ``ChipLink``
/// are the two roles and make these calls. Each call blocks, unless its description says otherwise.
public protocol ChipHost: Sendable {
  /// The longest command to a card, in bytes.
  static var maximumCommandCount: Int { get }
  /// The longest response of a presented card including its status word, in bytes.
  static var maximumResponseCount: Int { get }

  /// The device's name for messages.
  var name: String { get }

  /// Configures the chip for a role, before the first call of that role.
  func prepare(for role: ChipRole) throws(LinkError)

  /// Searches once for a card of ISO/IEC 14443 type A or B with ISO-DEP, and selects it.
  ///
  /// - Returns: nil when no card is in the field.
  /// - Throws: `LinkError`: `.severalCards` when more than one card is in the field, where the chip can detect it.
  func findCard() throws(LinkError) -> FoundCard?

  /// Sends a command to the selected card and receives its response.
  ///
  /// - Parameters:
  ///   - command: 1 to `maximumCommandCount` bytes.
  ///   - limit: How long the card may take.
  /// - Throws: `LinkError`: `.cardRemoved`, `.timedOut`. A late response could then be taken for that of the next
  ///   command, so the card must be released.
  func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8]

  /// Presents a card until a terminal has selected it.
  ///
  /// - Parameters:
  ///   - identifier: The UID: four bytes that begin with 08.
  ///   - historicalBytes: For the ATS: at most 15.
  /// - Returns: Whether a terminal has selected the card. On false the chip's own time limit has passed: call again.
  /// - Throws: `LinkError`: `.stopped` after `interrupt()`.
  func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool

  /// Answers the terminal, and waits for its next command.
  ///
  /// - Parameter response: At most `maximumResponseCount` bytes; nil when the terminal has just selected the card.
  /// - Throws: `LinkError`: `.stopped` after `interrupt()`; `.cardRemoved`, `.timedOut` and `.transmissionFailed` when
  ///   the terminal is lost and the chip still works.
  func nextEvent(after response: [UInt8]?) throws(LinkError) -> TerminalEvent

  /// Ends a call of the card's role that blocks in another thread. Does not block; does nothing without such a call.
  func interrupt()

  /// Ends either role: releases the card and switches the field off. Ignores errors.
  func release()
}

/// The roles of a chip.
public enum ChipRole: Sendable {
  /// The chip generates a field and searches for cards in it.
  case terminal
  /// The chip is a card in the field of a terminal.
  case card
}

/// A card in the field of a chip.
public struct FoundCard: Equatable, Sendable {
  /// The UID: 4, 7 or 10 bytes, random for a phone; of type B the PUPI, 4 bytes.
  public let identifier: [UInt8]
  /// The historical bytes of the ATR that PC/SC part 3 makes of its answers: those of its ATS; of type B its application data
  /// and protocol information, and the length index of its buffer.
  public let historicalBytes: [UInt8]

  /// Describes a card by what a reader has found of it.
  public init(identifier: [UInt8], historicalBytes: [UInt8]) {
    self.identifier = identifier
    self.historicalBytes = historicalBytes
  }

  /// Describes a card of type A by its UID and its ATS, including the length byte. An invalid ATS has no historical bytes.
  public init(identifier: [UInt8], answerToSelect: [UInt8]) {
    let answer = try? AnswerToSelect(parsing: answerToSelect.span)
    self.init(identifier: identifier, historicalBytes: answer?.historicalBytes ?? [])
  }
}

/// What a terminal does with a card that it has selected.
public enum TerminalEvent: Equatable, Sendable {
  /// The terminal sends a command.
  case command([UInt8])
  /// The terminal deselects the card, or switches its field off.
  case left(FieldEvent)
}
