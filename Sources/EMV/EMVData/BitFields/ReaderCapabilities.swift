/// Tag 9F1D of the contactless kernels: the reader's risk management for the card (eight bytes, of which four are
/// defined).
///
/// Known from public implementations, which cite Book C-2, annex A.1.161, and Book C-8, annex A.1.129; Book C-2
/// itself was not read.
public struct TerminalRiskManagementData: OptionSet, BitField {
  /// Eight bytes, the last in the low eight bits.
  public let rawValue: UInt64

  /// Creates a value of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "restart supported"),
    NamedBit(1, 7, "online PIN (contactless)"),
    NamedBit(1, 6, "signature (contactless)"),
    NamedBit(1, 5, "enciphered offline PIN (contactless)"),
    NamedBit(1, 4, "no CVM (contactless)"),
    NamedBit(1, 3, "CDCVM (contactless)"),
    NamedBit(1, 2, "plaintext offline PIN (contactless)"),
    NamedBit(1, 1, "present and hold supported"),
    NamedBit(2, 8, "CVM limit exceeded"),
    NamedBit(2, 7, "online PIN (contact)"),
    NamedBit(2, 6, "signature (contact)"),
    NamedBit(2, 5, "enciphered offline PIN (contact)"),
    NamedBit(2, 4, "no CVM (contact)"),
    NamedBit(2, 3, "CDCVM (contact)"),
    NamedBit(2, 2, "plaintext offline PIN (contact)"),
    NamedBit(3, 8, "mag-stripe mode contactless transactions not supported"),
    NamedBit(3, 7, "EMV mode contactless transactions not supported"),
    NamedBit(3, 6, "CDCVM without CDA supported"),
    NamedBit(4, 8, "CDCVM bypass requested"),
    NamedBit(4, 7, "SCA exempt"),
  ]
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
  /// Byte 1 bit 4: contactless mobile devices.
  public static let mobile = Self(rawValue: mask(1, 4))
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

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "contact mode supported"),
    NamedBit(1, 7, "contactless mag-stripe mode supported"),
    NamedBit(1, 6, "contactless EMV full online mode supported (no longer used)"),
    NamedBit(1, 5, "contactless EMV partial online mode supported"),
    NamedBit(1, 4, "contactless mobile supported"),
    NamedBit(1, 3, "try another interface after a decline"),
    NamedBit(2, 8, "mobile CVM supported"),
    NamedBit(2, 7, "online PIN supported"),
    NamedBit(2, 6, "signature supported"),
    NamedBit(2, 5, "plaintext offline PIN supported"),
    NamedBit(3, 8, "reader is offline only"),
    NamedBit(3, 7, "CVM required"),
    NamedBit(4, 8, "terminal exempt from no CVM checks"),
    NamedBit(4, 7, "delayed authorisation terminal"),
    NamedBit(4, 6, "transit terminal"),
  ]

  /// The groups of bits.
  public static let fields = [
    NamedField(4, 1...3, "kernel version", [1: "2.2 to 2.3", 2: "2.4 to 2.6", 3: "2.7"])
  ]
}

/// Tag 9F7E of kernel 2: what the reader requires of a phone.
///
/// Known from public implementations; Book C-2 was not read.
public struct MobileSupportIndicator: OptionSet, BitField {
  /// One byte, the last in the low eight bits.
  public let rawValue: UInt8

  /// Creates a value of its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 2, "offline PIN (code on the device) required"),
    NamedBit(1, 1, "mobile supported"),
  ]
}
