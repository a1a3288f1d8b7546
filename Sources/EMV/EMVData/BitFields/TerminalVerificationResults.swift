/// TVR, tag 95: what the terminal found (EMV 4.4 Book 3, annex C5). Five bytes in the low part of 64 bits.
///
/// The action codes of issuer (9F0D, 9F0E, 9F0F) and terminal (TAC) have the same bits.
public struct TerminalVerificationResults: OptionSet, BitField {
  /// Five bytes.
  public static let octetCount = 5

  /// The five bytes, the first in bits 40 to 33.
  public let rawValue: UInt64

  /// Creates results; only the low 40 bits count.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue & 0xFF_FFFF_FFFF
  }

  /// Byte 1 bit 8.
  public static let dataAuthenticationNotPerformed = Self(rawValue: mask(1, 8))
  /// Byte 1 bit 6.
  public static let cardDataMissing = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 3.
  public static let cdaFailed = Self(rawValue: mask(1, 3))
  /// Byte 2 bit 7.
  public static let expired = Self(rawValue: mask(2, 7))
  /// Byte 3 bit 8.
  public static let cardholderVerificationFailed = Self(rawValue: mask(3, 8))
  /// Byte 3 bit 3.
  public static let onlineCVMCaptured = Self(rawValue: mask(3, 3))
  /// Byte 4 bit 8.
  public static let exceedsFloorLimit = Self(rawValue: mask(4, 8))

  /// The names of the bits; those of the relay resistance protocol (byte 5 bits 4 to 1) are kernel 2's.
  public static let bits = [
    NamedBit(1, 8, "offline data authentication was not performed"), NamedBit(1, 7, "SDA failed"),
    NamedBit(1, 6, "ICC data missing"), NamedBit(1, 5, "card appears on terminal exception file"),
    NamedBit(1, 4, "DDA failed"), NamedBit(1, 3, "CDA failed"), NamedBit(1, 2, "SDA selected"),
    NamedBit(1, 1, "XDA selected"),
    NamedBit(2, 8, "card and terminal have different application versions"), NamedBit(2, 7, "expired application"),
    NamedBit(2, 6, "application not yet effective"),
    NamedBit(2, 5, "requested service not allowed for card product"), NamedBit(2, 4, "new card"),
    NamedBit(2, 2, "biometric performed and successful"), NamedBit(2, 1, "biometric template format not supported"),
    NamedBit(3, 8, "cardholder verification was not successful"), NamedBit(3, 7, "unrecognised CVM"),
    NamedBit(3, 6, "PIN try limit exceeded"),
    NamedBit(3, 5, "PIN entry required and PIN pad not present or not working"),
    NamedBit(3, 4, "PIN entry required, PIN pad present, but PIN was not entered"),
    NamedBit(3, 3, "online CVM captured"), NamedBit(3, 2, "biometric required, but capture device not working"),
    NamedBit(3, 1, "biometric required, capture device present, but entry bypassed"),
    NamedBit(4, 8, "transaction exceeds floor limit"),
    NamedBit(4, 7, "lower consecutive offline limit exceeded"),
    NamedBit(4, 6, "upper consecutive offline limit exceeded"),
    NamedBit(4, 5, "transaction selected randomly for online processing"),
    NamedBit(4, 4, "merchant forced transaction online"), NamedBit(4, 3, "biometric try limit exceeded"),
    NamedBit(4, 2, "selected biometric type not supported"), NamedBit(4, 1, "XDA signature verification failed"),
    NamedBit(5, 8, "default TDOL used"), NamedBit(5, 7, "issuer authentication failed"),
    NamedBit(5, 6, "script processing failed before final GENERATE AC"),
    NamedBit(5, 5, "script processing failed after final GENERATE AC"),
    NamedBit(5, 4, "relay resistance threshold exceeded (contactless)"),
    NamedBit(5, 3, "relay resistance time limits exceeded (contactless)"),
  ]

  /// Whether the relay resistance protocol was run (kernel 2).
  public static let fields = [
    NamedField(5, 1...2, "relay resistance protocol (contactless)", [1: "not performed", 2: "performed"])
  ]
}
