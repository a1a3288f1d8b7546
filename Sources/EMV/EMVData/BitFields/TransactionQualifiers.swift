/// TTQ, tag 9F66: the reader's abilities and requirements (EMV Contactless Book A, table 5-4; Book B, section 3.1).
public struct TerminalTransactionQualifiers: OptionSet, BitField {
  /// All four bytes, the first in the highest place.
  public let rawValue: UInt32

  /// Creates qualifiers.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 6: EMV mode.
  public static let emvMode = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 5: EMV contact chip.
  public static let contactChip = Self(rawValue: mask(1, 5))
  /// Byte 1 bit 4: offline-only reader.
  public static let offlineOnly = Self(rawValue: mask(1, 4))
  /// Byte 1 bit 3: online PIN.
  public static let onlinePIN = Self(rawValue: mask(1, 3))
  /// Byte 1 bit 2: signature.
  public static let signature = Self(rawValue: mask(1, 2))
  /// Byte 1 bit 1: offline data authentication for online authorisations.
  public static let odaForOnline = Self(rawValue: mask(1, 1))
  /// Byte 2 bit 8: online cryptogram required.
  public static let onlineCryptogramRequired = Self(rawValue: mask(2, 8))
  /// Byte 2 bit 7: some cardholder verification required.
  public static let cvmRequired = Self(rawValue: mask(2, 7))
  /// Byte 3 bit 7: consumer device cardholder verification (CDCVM) supported.
  public static let cdcvm = Self(rawValue: mask(3, 7))
  /// Byte 3 bit 8: issuer update processing.
  public static let issuerUpdate = Self(rawValue: mask(3, 8))

  /// The names of the bits.
  public static let layout = BitLayout(
    4,
    [
      1: [
        8: "mag-stripe mode supported", 6: "EMV mode supported", 5: "EMV contact chip supported",
        4: "offline-only reader", 3: "online PIN supported", 2: "signature supported",
        1: "ODA for online authorisations supported",
      ],
      2: [8: "online cryptogram required", 7: "CVM required", 6: "offline PIN supported (contact chip)"],
      3: [8: "issuer update processing supported", 7: "CDCVM supported", 4: "CDCVM required (kernel 6)"],
      4: [8: "fDDA version 1.0 supported (kernel 7)"],
    ])
}

/// CTQ, tag 9F6C: what the card asks of the reader (EMV Contactless Book C-3, annex A).
public struct CardTransactionQualifiers: OptionSet, BitField {
  /// Both bytes, the first in the high place.
  public let rawValue: UInt16

  /// Creates qualifiers.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 8: online PIN required.
  public static let onlinePINRequired = Self(rawValue: mask(1, 8))
  /// Byte 1 bit 7: signature required.
  public static let signatureRequired = Self(rawValue: mask(1, 7))
  /// Byte 1 bit 6: go online if offline data authentication fails.
  public static let goOnlineIfODAFails = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 4: go online if the application has expired.
  public static let goOnlineIfExpired = Self(rawValue: mask(1, 4))
  /// Byte 2 bit 8: the consumer device has verified its holder.
  public static let cdcvmPerformed = Self(rawValue: mask(2, 8))
  /// Byte 2 bit 7: the card takes the issuer's response at the point of sale.
  public static let issuerUpdate = Self(rawValue: mask(2, 7))

  /// The names of the bits.
  public static let layout = BitLayout(
    2,
    [
      1: [
        8: "online PIN required", 7: "signature required", 6: "go online if ODA fails and the reader is online capable",
        5: "switch interface if ODA fails and the reader supports contact chip",
        4: "go online if the application has expired", 3: "switch interface for cash transactions",
        2: "switch interface for cashback transactions", 1: "not valid for contactless ATM transactions",
      ],
      2: [8: "CDCVM performed", 7: "issuer update processing at the POS supported"],
    ])
}
