/// Tag 9F07: the places and services for which the issuer permits the application (EMV 4.4 Book 3, annex C2).
public struct ApplicationUsageControl: OptionSet, BitField {
  /// Two bytes, the last in the low eight bits.
  public let rawValue: UInt16

  /// Creates a value of its bits.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "valid for domestic cash transactions"),
    NamedBit(1, 7, "valid for international cash transactions"),
    NamedBit(1, 6, "valid for domestic goods"),
    NamedBit(1, 5, "valid for international goods"),
    NamedBit(1, 4, "valid for domestic services"),
    NamedBit(1, 3, "valid for international services"),
    NamedBit(1, 2, "valid at ATMs"),
    NamedBit(1, 1, "valid at terminals other than ATMs"),
    NamedBit(2, 8, "domestic cashback allowed"),
    NamedBit(2, 7, "international cashback allowed"),
  ]
}

/// POSCII, tag DF4B of kernel 2: the interaction that a phone requires of its holder or has done.
///
/// Known from public implementations; Book C-2 was not read.
public struct POSCardholderInteractionInformation: OptionSet, BitField {
  /// Three bytes.
  public static let octetCount = 3

  /// Three bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 2 bit 1: the device must verify the cardholder.
  public static let cvmRequired = Self(rawValue: mask(2, 1))
  /// Byte 2 bit 2: the cardholder must acknowledge.
  public static let acknowledgementRequired = Self(rawValue: mask(2, 2))
  /// Byte 2 bit 3: the cardholder must change the PIN.
  public static let changePINRequired = Self(rawValue: mask(2, 3))
  /// Byte 2 bit 4: the second tap belongs to a different transaction.
  public static let contextConflict = Self(rawValue: mask(2, 4))
  /// Byte 2 bit 5: the device has verified the cardholder.
  public static let cvmSuccessful = Self(rawValue: mask(2, 5))

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(2, 5, "verification on the device successful"),
    NamedBit(2, 4, "context is conflicting"),
    NamedBit(2, 3, "offline change of PIN required"),
    NamedBit(2, 2, "acknowledgement required"),
    NamedBit(2, 1, "CVM required"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 1...8, "version")
  ]
}

/// Tag 9F5D of kernel 2: data storage, balance reading, field-off detection.
///
/// Known from public implementations; Book C-2 was not read.
public struct ApplicationCapabilitiesInformation: OptionSet, BitField {
  /// Three bytes.
  public static let octetCount = 3

  /// Three bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(2, 3, "field off detection supported"),
    NamedBit(2, 2, "balance reading supported"),
    NamedBit(2, 1, "CDA supported over TC, ARQC and AAC"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 5...8, "version"),
    NamedField(1, 1...4, "data storage version", [1: "1", 2: "2"]),
    NamedField(3, 1...8, "standalone data storage scheme"),
  ]
}

/// FFI, tag 9F6E of Visa: the kind of device (EMV Contactless Book C-3, annex A.2).
public struct FormFactorIndicator: OptionSet, BitField {
  /// Four bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(2, 8, "passcode capable"),
    NamedBit(2, 7, "signature panel"),
    NamedBit(2, 6, "hologram"),
    NamedBit(2, 5, "CVV2"),
    NamedBit(2, 4, "two-way messaging"),
    NamedBit(2, 3, "cloud based payment credentials"),
    NamedBit(2, 2, "biometric verification capable"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(1, 6...8, "version"),
    NamedField(
      1, 1...5, "form factor",
      [0: "card", 1: "mini-card", 2: "non-card form factor", 3: "consumer mobile phone", 4: "wrist-worn device"]),
    NamedField(
      4, 1...4, "transaction technology",
      [0: "proximity contactless interface (ISO 14443)", 1: "not used in contactless payments"]),
  ]
}
