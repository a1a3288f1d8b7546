/// Card verification results of Mastercard's issuer application data: six bytes.
///
/// Known from public recordings and implementations; no document is public.
public struct MastercardCardVerificationResults: OptionSet, BitField {
  /// Six bytes.
  public static let octetCount = 6

  /// Six bytes, the last in the low eight bits.
  public let rawValue: UInt64

  /// Creates a value of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 3: offline PIN verification performed, that on a device included.
  public static let offlinePINPerformed = Self(rawValue: mask(1, 3))
  /// Byte 1 bit 2: offline verification of an enciphered PIN performed.
  public static let encipheredPINPerformed = Self(rawValue: mask(1, 2))
  /// Byte 1 bit 1: offline PIN verification successful.
  public static let offlinePINSuccessful = Self(rawValue: mask(1, 1))
  /// Byte 2 bit 7: CDA returned in the first GENERATE AC.
  public static let cdaInFirst = Self(rawValue: mask(2, 7))
  /// Byte 2 bit 5: issuer authentication performed.
  public static let issuerAuthenticationPerformed = Self(rawValue: mask(2, 5))
  /// Byte 4 bit 7: unable to go online.
  public static let unableToGoOnline = Self(rawValue: mask(4, 7))
  /// Byte 4 bit 6: offline PIN verification not performed.
  public static let offlinePINNotPerformed = Self(rawValue: mask(4, 6))
  /// Byte 4 bit 5: offline PIN verification failed.
  public static let offlinePINFailed = Self(rawValue: mask(4, 5))
  /// Byte 4 bit 3: international transaction.
  public static let internationalTransaction = Self(rawValue: mask(4, 3))
  /// Byte 4 bit 2: domestic transaction.
  public static let domesticTransaction = Self(rawValue: mask(4, 2))

  /// Byte 5 bit 3: issuer authentication failed.
  public static let issuerAuthenticationFailed = Self(rawValue: mask(5, 3))

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 4, "date check failed"),
    NamedBit(1, 3, "offline PIN verification performed"),
    NamedBit(1, 2, "offline encrypted PIN verification performed"),
    NamedBit(1, 1, "offline PIN verification successful"),
    NamedBit(2, 8, "DDA returned"),
    NamedBit(2, 7, "CDA returned in first GENERATE AC"),
    NamedBit(2, 6, "CDA returned in second GENERATE AC"),
    NamedBit(2, 5, "issuer authentication performed"),
    NamedBit(2, 4, "CIAC default skipped on CAT3"),
    NamedBit(2, 3, "offline change of PIN successful"),
    NamedBit(2, 2, "issuer discretionary"),
    NamedBit(2, 1, "issuer discretionary"),
    NamedBit(4, 8, "last online transaction not completed"),
    NamedBit(4, 7, "unable to go online"),
    NamedBit(4, 6, "offline PIN verification not performed"),
    NamedBit(4, 5, "offline PIN verification failed"),
    NamedBit(4, 4, "PIN try limit exceeded"),
    NamedBit(4, 3, "international transaction"),
    NamedBit(4, 2, "domestic transaction"),
    NamedBit(4, 1, "terminal erroneously considers offline PIN OK"),
    NamedBit(5, 8, "lower consecutive offline limit exceeded"),
    NamedBit(5, 7, "upper consecutive offline limit exceeded"),
    NamedBit(5, 6, "lower cumulative offline limit exceeded"),
    NamedBit(5, 5, "upper cumulative offline limit exceeded"),
    NamedBit(5, 4, "go online on next transaction was set"),
    NamedBit(5, 3, "issuer authentication failed"),
    NamedBit(5, 2, "script received"),
    NamedBit(5, 1, "script failed"),
    NamedBit(6, 8, "lower limit of counter 2 exceeded"),
    NamedBit(6, 7, "upper limit of counter 2 exceeded"),
    NamedBit(6, 6, "lower limit of accumulator 2 exceeded"),
    NamedBit(6, 5, "upper limit of accumulator 2 exceeded"),
    NamedBit(6, 4, "maximum transaction amount exceeded"),
    NamedBit(6, 3, "number of days offline exceeded"),
    NamedBit(6, 2, "match found in additional check table"),
    NamedBit(6, 1, "no match found in additional check table"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 7...8, "second GENERATE AC", [0: "AAC", 1: "TC", 2: "not requested"]),
    NamedField(1, 5...6, "first GENERATE AC", [0: "AAC", 1: "TC", 2: "ARQC"]),
    NamedField(3, 5...8, "script counter"),
    NamedField(3, 1...4, "PIN try counter"),
  ]
}
