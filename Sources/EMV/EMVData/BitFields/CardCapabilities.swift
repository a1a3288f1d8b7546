extension BitLayout {
  /// Tag 9F07: the places and services for which the issuer permits the application (EMV 4.4 Book 3, annex C2).
  public static let applicationUsageControl = BitLayout(
    2,
    [
      1: [
        8: "valid for domestic cash transactions", 7: "valid for international cash transactions",
        6: "valid for domestic goods", 5: "valid for international goods", 4: "valid for domestic services",
        3: "valid for international services", 2: "valid at ATMs", 1: "valid at terminals other than ATMs",
      ],
      2: [8: "domestic cashback allowed", 7: "international cashback allowed"],
    ])
}

/// POSCII, tag DF4B of kernel 2: the interaction that a phone requires of its holder or has done.
///
/// Known from public implementations; Book C-2 was not read.
public struct POSCardholderInteractionInformation: OptionSet, BitField {
  /// Three bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 2 bit 1: the device must verify the cardholder.
  public static let cvmRequired = Self(rawValue: mask(2, 1))
  /// Byte 2 bit 5: the device has verified the cardholder.
  public static let cvmSuccessful = Self(rawValue: mask(2, 5))

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    3,
    [
      2: [
        5: "verification on the device successful", 4: "context is conflicting", 3: "offline change of PIN required",
        2: "acknowledgement required", 1: "CVM required",
      ]
    ],
    fields: [NamedField(1, 1...8, "version")])
}

extension BitLayout {
  /// Tag 9F5D of kernel 2: data storage, balance reading, field-off detection.
  ///
  /// Known from public implementations; Book C-2 was not read.
  public static let applicationCapabilitiesInformation = BitLayout(
    3,
    [
      2: [3: "field off detection supported", 2: "balance reading supported", 1: "CDA supported over TC, ARQC and AAC"]
    ],
    fields: [
      NamedField(1, 5...8, "version"),
      NamedField(1, 1...4, "data storage version", [1: "1", 2: "2"]),
      NamedField(3, 1...8, "standalone data storage scheme"),
    ])
}

extension BitLayout {
  /// FFI, tag 9F6E of Visa: the kind of device (EMV Contactless Book C-3, annex A.2).
  public static let formFactorIndicator = BitLayout(
    4,
    [
      2: [
        8: "passcode capable", 7: "signature panel", 6: "hologram", 5: "CVV2", 4: "two-way messaging",
        3: "cloud based payment credentials", 2: "biometric verification capable",
      ]
    ],
    fields: [
      NamedField(1, 6...8, "version"),
      NamedField(
        1, 1...5, "form factor",
        [0: "card", 1: "mini-card", 2: "non-card form factor", 3: "consumer mobile phone", 4: "wrist-worn device"]),
      NamedField(
        4, 1...4, "transaction technology",
        [0: "proximity contactless interface (ISO 14443)", 1: "not used in contactless payments"]),
    ])
}
