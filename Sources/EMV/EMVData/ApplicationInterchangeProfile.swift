/// AIP, tag 82: what the application can do (EMV 4.4 Book 3, annex C1; contactless: Books C-2 and C-3, annex A).
public struct ApplicationInterchangeProfile: OptionSet, BitField {
  /// Both octets, the first in the high place.
  public let rawValue: UInt16

  /// Creates a profile.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 7: static data authentication.
  public static let sda = Self(rawValue: mask(1, 7))
  /// Byte 1 bit 6: dynamic data authentication.
  public static let dda = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 2: on-device cardholder verification (kernel 2).
  public static let onDeviceVerification = Self(rawValue: mask(1, 2))
  /// Byte 1 bit 1: combined data authentication.
  public static let cda = Self(rawValue: mask(1, 1))

  /// The names of the bits.
  public static let bits = [
    NamedBit(1, 7, "SDA supported"), NamedBit(1, 6, "DDA supported"),
    NamedBit(1, 5, "cardholder verification supported"),
    NamedBit(1, 4, "terminal risk management to be performed"), NamedBit(1, 3, "issuer authentication supported"),
    NamedBit(1, 2, "on-device cardholder verification supported"), NamedBit(1, 1, "CDA supported"),
    NamedBit(2, 8, "EMV mode supported (kernel 2)"), NamedBit(2, 7, "mobile device"),
    NamedBit(2, 1, "relay resistance protocol supported"),
  ]
}
