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
