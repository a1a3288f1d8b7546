public import Octets

/// What happens to a card besides commands.
public enum FieldEvent: Equatable, Sendable {
  /// The card is powered: a reader's field, or contacts.
  case powered
  /// The card is reset and stays powered.
  case reset
  /// The reader deselected the card; the field may go on.
  case deselected
  /// The field is gone, or the power is off.
  case lost
}

/// A card as a link sees it: C-APDU in, R-APDU out, on one thread, synchronously.
public protocol CommandResponder: ~Copyable {
  /// Answers one command.
  ///
  /// - Parameters:
  ///   - command: The octets as they came; anything at all.
  ///   - instant: When the command had arrived, by the link's clock.
  ///   - response: Room for at least 258 octets.
  /// - Returns: The length of the response, at least 2.
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int

  /// Takes notice of the field.
  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant)
}

/// The room a link must offer for one response of a card with short APDUs: 256 octets and the status word.
public let shortResponseCapacity = 258
