/// The message on the display, by its identifier in EMV Contactless Book A (user interface request).
public enum CardholderMessage: UInt8, CaseIterable, Sendable {
  /// 03.
  case approved = 0x03
  /// 07.
  case notAuthorised = 0x07
  /// 09.
  case enterPIN = 0x09
  /// 18.
  case insertOrSwipe = 0x18
  /// 1A.
  case approvedSign = 0x1A
  /// 1B.
  case authorising = 0x1B
  /// 1C.
  case tryAnotherCard = 0x1C
  /// 1D.
  case insert = 0x1D
  /// 20.
  case seePhone = 0x20
  /// 21.
  case presentAgain = 0x21

  /// The text on the display.
  public var text: String {
    switch self {
    case .approved: "Approved"
    case .notAuthorised: "Not authorised"
    case .enterPIN: "Please enter your PIN"
    case .insertOrSwipe: "Please insert or swipe card"
    case .approvedSign: "Approved, please sign"
    case .authorising: "Authorising, please wait"
    case .tryAnotherCard: "Insert, swipe or try another card"
    case .insert: "Please insert card"
    case .seePhone: "See phone for instructions"
    case .presentAgain: "Present card again"
    }
  }
}
