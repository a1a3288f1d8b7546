public import Octets

/// The events of a card besides commands.
public enum FieldEvent: Equatable, Sendable {
  /// The card is powered: a reader's field, or contacts.
  case powered
  /// The card is reset and stays powered.
  case reset
  /// The reader deselected the card; the field may stay on.
  case deselected
  /// The field or the power is off.
  case lost
}

/// A card as a link sees it: C-APDU in, R-APDU out, on one thread, synchronously.
public protocol CommandResponder: ~Copyable {
  /// Answers one command.
  ///
  /// - Parameters:
  ///   - command: The bytes from the wire, which may be malformed.
  ///   - instant: The instant at which the command was received, by the link's clock.
  ///   - response: Room for at least 258 bytes.
  /// - Returns: The length of the response, at least 2.
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int

  /// Does the work for which no terminal should wait, such as a recording. Does nothing by default.
  ///
  /// A link calls this after each response, when it has passed the response on and before it waits for the next command; a
  /// link whose driver sends and waits in one call calls it just before. A link may also call it without a response. A card
  /// that wraps another one passes it on.
  mutating func responseSent()

  /// Reports a change of the field or the power to the card.
  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant)
}

extension CommandResponder where Self: ~Copyable {
  /// Does nothing.
  @inlinable
  public mutating func responseSent() {}
}

/// The room that a link must offer for one response of a card with short APDUs: 256 bytes and the status word.
public let shortResponseCapacity = 258
