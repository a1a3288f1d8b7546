/// TVR, tag 95: what the terminal found (EMV 4.4 Book 3, annex C5). Five bytes in the low part of 64 bits.
///
/// The action codes of issuer (9F0D, 9F0E, 9F0F) and terminal (TAC) have the same bits.
public struct TerminalVerificationResults: OptionSet, BitField {
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
  public static let layout = BitLayout(
    5,
    [
      1: [
        8: "offline data authentication was not performed", 7: "SDA failed", 6: "ICC data missing",
        5: "card appears on terminal exception file", 4: "DDA failed", 3: "CDA failed", 2: "SDA selected",
        1: "XDA selected",
      ],
      2: [
        8: "card and terminal have different application versions", 7: "expired application",
        6: "application not yet effective", 5: "requested service not allowed for card product", 4: "new card",
        2: "biometric performed and successful", 1: "biometric template format not supported",
      ],
      3: [
        8: "cardholder verification was not successful", 7: "unrecognised CVM", 6: "PIN try limit exceeded",
        5: "PIN entry required and PIN pad not present or not working",
        4: "PIN entry required, PIN pad present, but PIN was not entered", 3: "online CVM captured",
        2: "biometric required, but capture device not working",
        1: "biometric required, capture device present, but entry bypassed",
      ],
      4: [
        8: "transaction exceeds floor limit", 7: "lower consecutive offline limit exceeded",
        6: "upper consecutive offline limit exceeded", 5: "transaction selected randomly for online processing",
        4: "merchant forced transaction online", 3: "biometric try limit exceeded",
        2: "selected biometric type not supported", 1: "XDA signature verification failed",
      ],
      5: [
        8: "default TDOL used", 7: "issuer authentication failed",
        6: "script processing failed before final GENERATE AC", 5: "script processing failed after final GENERATE AC",
        4: "relay resistance threshold exceeded (contactless)",
        3: "relay resistance time limits exceeded (contactless)",
      ],
    ],
    fields: [NamedField(5, 1...2, "relay resistance protocol (contactless)", [1: "not performed", 2: "performed"])])
}
