/// The message on the display, by its identifier in EMV Contactless Book A (user interface request).
public enum CardholderMessage: UInt8, CaseIterable, Sendable {
  /// 03.
  case approved = 0x03
  /// 07.
  case notAuthorised = 0x07
  /// 09.
  case enterPIN = 0x09
  /// 14: no payment has begun.
  case welcome = 0x14
  /// 15: the field is on.
  case presentCard = 0x15
  /// 16.
  case processing = 0x16
  /// 17: the last command was sent, and the card may leave. A reader with a loudspeaker beeps.
  case cardRead = 0x17
  /// 18.
  case insertOrSwipe = 0x18
  /// 19: more than one card is in the field.
  case presentOneCardOnly = 0x19
  /// 1A.
  case approvedSign = 0x1A
  /// 1B.
  case authorising = 0x1B
  /// 1C.
  case tryAnotherCard = 0x1C
  /// 1D.
  case insert = 0x1D
  /// 1E: the display is empty.
  case clear = 0x1E
  /// 20.
  case seePhone = 0x20
  /// 21.
  case presentAgain = 0x21

  /// The text on the display, in English.
  public var text: String { text(in: .english) }
}
