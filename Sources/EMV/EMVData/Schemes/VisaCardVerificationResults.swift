/// Card verification results of Visa's issuer application data, formats 0, 1 and 3: `03`, then three bytes.
///
/// Confirmed by public recordings; the first cryptogram also by EMV Contactless Book C-3, 5.4.3. No public document
/// has the rest.
public struct VisaCardVerificationResults: OptionSet, BitField {
  /// Four bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 2 bit 3: offline PIN verification performed, that on a device (CDCVM) included.
  public static let offlinePINPerformed = Self(rawValue: mask(2, 3))
  /// Byte 2 bit 2: offline PIN verification failed.
  public static let offlinePINFailed = Self(rawValue: mask(2, 2))

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    4,
    riskNames.merging([
      2: [
        4: "issuer authentication performed and failed", 3: "offline PIN verification performed",
        2: "offline PIN verification failed", 1: "unable to go online",
      ]
    ]) { $1 },
    fields: [NamedField(1, 1...8, "length")] + cryptogramFields)
}

/// Card verification results of Visa's issuer application data, format 2: the entity that verified the cardholder and
/// the method, then as in the other formats.
///
/// Known from public implementations; no document is public.
public struct VisaDeviceCardVerificationResults: OptionSet, BitField {
  /// Five bytes, the last in the low eight bits.
  public let rawValue: UInt64

  /// Creates a value of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Byte 1: the verifying entity (bits 8 to 5) and the method (bits 4 to 1).
  public static let entityAndMethod = Self(rawValue: 0xFF_0000_0000)
  /// Byte 1 bits 8 to 5 with the value 8: the operating system of the device verified the cardholder.
  public static let operatingSystem = Self(rawValue: 0x80_0000_0000)
  /// Byte 1 bits 4 to 1 with the value 1: by a passcode.
  public static let passcode = Self(rawValue: 0x01_0000_0000)
  /// Byte 1 bits 4 to 1 with the value 2: by a finger.
  public static let finger = Self(rawValue: 0x02_0000_0000)
  /// Byte 1 bits 4 to 1 with the value 4: by a face.
  public static let face = Self(rawValue: 0x04_0000_0000)
  /// Byte 2 bit 3 and byte 5 bit 2: a verification on the device (CDCVM) was successful.
  public static let cdcvmPerformed = Self(rawValue: mask(2, 3) | mask(5, 2))

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    5,
    riskNames.merging([
      2: [
        4: "issuer authentication performed and failed", 3: "CDCVM successfully performed", 1: "unable to go online",
      ],
      5: [
        8: "device is not in debug mode", 7: "device is not rooted", 6: "mobile application is not hooked",
        5: "mobile application integrity is intact", 4: "device has data connectivity", 3: "device is genuine",
        2: "CDCVM successfully performed", 1: "secure messaging uses EMV session keys",
      ],
    ]) { $1 },
    fields: [
      NamedField(
        1, 5...8, "verifying entity",
        [
          0: "none", 1: "Visa mobile payment application", 2: "MG", 3: "application of the same secure element",
          4: "application of the trusted execution environment", 5: "mobile application", 6: "terminal", 7: "cloud",
          8: "operating system of the device",
        ]),
      NamedField(
        1, 1...4, "verification type",
        [
          0: "none", 1: "passcode", 2: "finger", 3: "pattern", 4: "face", 5: "iris", 6: "voice", 7: "palm",
          13: "signature", 14: "online PIN",
        ]),
    ] + cryptogramFields)
}

// Bytes 3 and 4 are the same in all formats, and so are the fields of bytes 2 and 4.
private let riskNames: [Int: [Int: String]] = [
  3: [
    8: "last online transaction not completed", 7: "PIN try limit exceeded", 6: "exceeded velocity checking counters",
    5: "new card", 4: "issuer authentication failure on last online transaction",
    3: "issuer authentication not performed after online authorisation",
    2: "application blocked by card because PIN try limit exceeded",
    1: "offline static data authentication failed on last transaction",
  ],
  4: [
    4: "issuer script processing failed on last transaction",
    3: "offline dynamic data authentication failed on last transaction",
    2: "offline dynamic data authentication performed",
    1: "PIN verification command not received for a PIN expecting card",
  ],
]

private let cryptogramFields = [
  NamedField(2, 7...8, "second GENERATE AC", [0: "AAC", 1: "TC", 2: "not requested"]),
  NamedField(2, 5...6, "GPO or first GENERATE AC", [0: "AAC", 1: "TC", 2: "ARQC"]),
  NamedField(4, 5...8, "issuer script commands processed on last transaction"),
]
