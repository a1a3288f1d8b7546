/// Card verification results of a common core definitions (CCD) card: five bytes (EMV 4.4 Book 3, annex C9.3).
public struct CommonCoreCardVerificationResults: OptionSet, BitField {
  /// Five bytes.
  public static let octetCount = 5

  /// Five bytes, the last in the low eight bits.
  public let rawValue: UInt64

  /// Creates a value of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 2: issuer authentication not performed.
  public static let issuerAuthenticationNotPerformed = Self(rawValue: mask(1, 2))
  /// Byte 1 bit 1: issuer authentication failed.
  public static let issuerAuthenticationFailed = Self(rawValue: mask(1, 1))
  /// Byte 2 bit 4: offline PIN verification performed, that on a device included.
  public static let offlinePINPerformed = Self(rawValue: mask(2, 4))
  /// Byte 2 bit 3: offline PIN verification performed and not successful.
  public static let offlinePINFailed = Self(rawValue: mask(2, 3))
  /// Byte 4 bit 1: unable to go online.
  public static let unableToGoOnline = Self(rawValue: mask(4, 1))

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 4, "CDA performed"),
    NamedBit(1, 3, "offline DDA performed"),
    NamedBit(1, 2, "issuer authentication not performed"),
    NamedBit(1, 1, "issuer authentication failed"),
    NamedBit(2, 4, "offline PIN verification performed"),
    NamedBit(2, 3, "offline PIN verification performed and PIN not successfully verified"),
    NamedBit(2, 2, "PIN try limit exceeded"),
    NamedBit(2, 1, "last online transaction not completed"),
    NamedBit(3, 8, "lower offline transaction count limit exceeded"),
    NamedBit(3, 7, "upper offline transaction count limit exceeded"),
    NamedBit(3, 6, "lower cumulative offline amount limit exceeded"),
    NamedBit(3, 5, "upper cumulative offline amount limit exceeded"),
    NamedBit(3, 4, "issuer discretionary bit 1"),
    NamedBit(3, 3, "issuer discretionary bit 2"),
    NamedBit(3, 2, "issuer discretionary bit 3"),
    NamedBit(3, 1, "issuer discretionary bit 4"),
    NamedBit(4, 4, "issuer script processing failed"),
    NamedBit(4, 3, "offline data authentication failed on previous transaction"),
    NamedBit(4, 2, "go online on next transaction was set"),
    NamedBit(4, 1, "unable to go online"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 7...8, "second GENERATE AC", [0: "AAC", 1: "TC", 2: "not requested"]),
    NamedField(1, 5...6, "first GENERATE AC", [0: "AAC", 1: "TC", 2: "ARQC"]),
    NamedField(2, 5...8, "PIN try counter"),
    NamedField(4, 5...8, "issuer script commands processed"),
  ]
}

/// CSU, bytes 5 to 8 of tag 91 in its longer form: the changes that the issuer requires in the card (EMV 4.4 Book 3,
/// annex C10).
public struct CardStatusUpdate: OptionSet, BitField {
  /// Four bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "proprietary authentication data present"),
    NamedBit(2, 8, "issuer approves online transaction"),
    NamedBit(2, 7, "card block"),
    NamedBit(2, 6, "application block"),
    NamedBit(2, 5, "update PIN try counter"),
    NamedBit(2, 4, "set go online on next transaction"),
    NamedBit(2, 3, "CSU created by proxy for the issuer"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 1...4, "PIN try counter"),
    NamedField(
      2, 1...2, "counters",
      [0: "not updated", 1: "set to upper limits", 2: "reset to zero", 3: "current transaction added"]),
  ]
}
