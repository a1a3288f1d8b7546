/// Card verification results of Mastercard's issuer application data: six bytes.
///
/// Known from public recordings and implementations; no document is public.
public struct MastercardCardVerificationResults: OptionSet, BitField {
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
  /// Byte 2 bit 5: issuer authentication performed.
  public static let issuerAuthenticationPerformed = Self(rawValue: mask(2, 5))
  /// Byte 4 bit 7: unable to go online.
  public static let unableToGoOnline = Self(rawValue: mask(4, 7))
  /// Byte 4 bit 6: offline PIN verification not performed.
  public static let offlinePINNotPerformed = Self(rawValue: mask(4, 6))
  /// Byte 4 bit 5: offline PIN verification failed.
  public static let offlinePINFailed = Self(rawValue: mask(4, 5))

  /// Byte 5 bit 3: issuer authentication failed.
  public static let issuerAuthenticationFailed = Self(rawValue: mask(5, 3))

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    6,
    [
      1: [
        4: "date check failed", 3: "offline PIN verification performed",
        2: "offline encrypted PIN verification performed", 1: "offline PIN verification successful",
      ],
      2: [
        8: "DDA returned", 7: "CDA returned in first GENERATE AC", 6: "CDA returned in second GENERATE AC",
        5: "issuer authentication performed", 4: "CIAC default skipped on CAT3", 3: "offline change of PIN successful",
        2: "issuer discretionary", 1: "issuer discretionary",
      ],
      4: [
        8: "last online transaction not completed", 7: "unable to go online",
        6: "offline PIN verification not performed", 5: "offline PIN verification failed", 4: "PIN try limit exceeded",
        3: "international transaction", 2: "domestic transaction", 1: "terminal erroneously considers offline PIN OK",
      ],
      5: [
        8: "lower consecutive offline limit exceeded", 7: "upper consecutive offline limit exceeded",
        6: "lower cumulative offline limit exceeded", 5: "upper cumulative offline limit exceeded",
        4: "go online on next transaction was set", 3: "issuer authentication failed", 2: "script received",
        1: "script failed",
      ],
      6: [
        8: "lower limit of counter 2 exceeded", 7: "upper limit of counter 2 exceeded",
        6: "lower limit of accumulator 2 exceeded", 5: "upper limit of accumulator 2 exceeded",
        4: "maximum transaction amount exceeded", 3: "number of days offline exceeded",
        2: "match found in additional check table", 1: "no match found in additional check table",
      ],
    ],
    fields: [
      NamedField(1, 7...8, "second GENERATE AC", [0: "AAC", 1: "TC", 2: "not requested"]),
      NamedField(1, 5...6, "first GENERATE AC", [0: "AAC", 1: "TC", 2: "ARQC"]),
      NamedField(3, 5...8, "script counter"),
      NamedField(3, 1...4, "PIN try counter"),
    ])
}
