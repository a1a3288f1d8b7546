/// Card verification results of a common core definitions (CCD) card: five bytes (EMV 4.4 Book 3, annex C9.3).
public struct CommonCoreCardVerificationResults: OptionSet, BitField {
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

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    5,
    [
      1: [
        4: "CDA performed", 3: "offline DDA performed", 2: "issuer authentication not performed",
        1: "issuer authentication failed",
      ],
      2: [
        4: "offline PIN verification performed",
        3: "offline PIN verification performed and PIN not successfully verified", 2: "PIN try limit exceeded",
        1: "last online transaction not completed",
      ],
      3: [
        8: "lower offline transaction count limit exceeded", 7: "upper offline transaction count limit exceeded",
        6: "lower cumulative offline amount limit exceeded", 5: "upper cumulative offline amount limit exceeded",
        4: "issuer discretionary bit 1", 3: "issuer discretionary bit 2", 2: "issuer discretionary bit 3",
        1: "issuer discretionary bit 4",
      ],
      4: [
        4: "issuer script processing failed", 3: "offline data authentication failed on previous transaction",
        2: "go online on next transaction was set", 1: "unable to go online",
      ],
    ],
    fields: [
      NamedField(1, 7...8, "second GENERATE AC", [0: "AAC", 1: "TC", 2: "not requested"]),
      NamedField(1, 5...6, "first GENERATE AC", [0: "AAC", 1: "TC", 2: "ARQC"]),
      NamedField(2, 5...8, "PIN try counter"),
      NamedField(4, 5...8, "issuer script commands processed"),
    ])
}
