extension BitLayout {
  /// Tag 9F1D of the contactless kernels: the reader's risk management for the card (eight bytes, of which four are
  /// defined).
  ///
  /// Known from public implementations, which cite Book C-2, annex A.1.161, and Book C-8, annex A.1.129; Book C-2
  /// itself was not read.
  public static let terminalRiskManagementData = BitLayout(
    8,
    [
      1: [
        8: "restart supported", 7: "online PIN (contactless)", 6: "signature (contactless)",
        5: "enciphered offline PIN (contactless)", 4: "no CVM (contactless)", 3: "CDCVM (contactless)",
        2: "plaintext offline PIN (contactless)", 1: "present and hold supported",
      ],
      2: [
        8: "CVM limit exceeded", 7: "online PIN (contact)", 6: "signature (contact)",
        5: "enciphered offline PIN (contact)", 4: "no CVM (contact)", 3: "CDCVM (contact)",
        2: "plaintext offline PIN (contact)",
      ],
      3: [
        8: "mag-stripe mode contactless transactions not supported",
        7: "EMV mode contactless transactions not supported", 6: "CDCVM without CDA supported",
      ],
      4: [8: "CDCVM bypass requested", 7: "SCA exempt"],
    ])
}

/// Tag 9F6E of American Express: the reader's abilities and requirements (EMV Contactless Book C-4, 4.3.4, table 4-4).
public struct EnhancedContactlessReaderCapabilities: OptionSet, BitField {
  /// Four bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 8: contact mode.
  public static let contact = Self(rawValue: mask(1, 8))
  /// Byte 1 bit 7: contactless mag-stripe mode.
  public static let magStripeMode = Self(rawValue: mask(1, 7))
  /// Byte 1 bit 6: contactless EMV full online mode, no longer used.
  public static let fullOnline = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 5: contactless EMV mode, partial online.
  public static let partialOnline = Self(rawValue: mask(1, 5))
  /// Byte 1 bit 3: try another interface after a decline.
  public static let otherInterfaceAfterDecline = Self(rawValue: mask(1, 3))
  /// Byte 2 bit 8: verification on the device.
  public static let mobileVerification = Self(rawValue: mask(2, 8))
  /// Byte 2 bit 7: online PIN.
  public static let onlinePIN = Self(rawValue: mask(2, 7))
  /// Byte 2 bit 6: signature.
  public static let signature = Self(rawValue: mask(2, 6))
  /// Byte 3 bit 8: the reader is offline only.
  public static let offlineOnly = Self(rawValue: mask(3, 8))
  /// Byte 3 bit 7: CVM required.
  public static let cvmRequired = Self(rawValue: mask(3, 7))
  /// Byte 4 bit 8: the terminal is exempt from no CVM checks.
  public static let exemptFromVerification = Self(rawValue: mask(4, 8))
  /// Byte 4 bit 7: delayed authorisation.
  public static let delayedAuthorisation = Self(rawValue: mask(4, 7))
  /// Byte 4 bit 6: transit.
  public static let transit = Self(rawValue: mask(4, 6))

  /// The names of the bits and their groups.
  public static let layout = BitLayout(
    4,
    [
      1: [
        8: "contact mode supported", 7: "contactless mag-stripe mode supported",
        6: "contactless EMV full online mode supported (no longer used)",
        5: "contactless EMV partial online mode supported", 4: "contactless mobile supported",
        3: "try another interface after a decline",
      ],
      2: [
        8: "mobile CVM supported", 7: "online PIN supported", 6: "signature supported",
        5: "plaintext offline PIN supported",
      ],
      3: [8: "reader is offline only", 7: "CVM required"],
      4: [8: "terminal exempt from no CVM checks", 7: "delayed authorisation terminal", 6: "transit terminal"],
    ],
    fields: [NamedField(4, 1...3, "kernel version", [1: "2.2 to 2.3", 2: "2.4 to 2.6", 3: "2.7"])])
}

extension BitLayout {
  /// Tag 9F7E of kernel 2: what the reader requires of a phone.
  ///
  /// Known from public implementations; Book C-2 was not read.
  public static let mobileSupportIndicator = BitLayout(
    1, [1: [2: "offline PIN (code on the device) required", 1: "mobile supported"]])
}
