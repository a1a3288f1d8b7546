/// TSI, tag 9B: the functions performed so far in the transaction (EMV 4.4 Book 3, annex C6).
public struct TransactionStatusInformation: OptionSet, BitField {
  /// Two bytes, the last in the low eight bits.
  public let rawValue: UInt16

  /// Creates a value of its bits.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "offline data authentication was performed"),
    NamedBit(1, 7, "cardholder verification was performed"),
    NamedBit(1, 6, "card risk management was performed"),
    NamedBit(1, 5, "issuer authentication was performed"),
    NamedBit(1, 4, "terminal risk management was performed"),
    NamedBit(1, 3, "script processing was performed"),
  ]
}

/// Tag 9F33: a terminal's means to read cards, verify cardholders and authenticate data (EMV 4.4 Book 4, annex A2).
public struct TerminalCapabilities: OptionSet, BitField {
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
    NamedBit(1, 8, "manual key entry"),
    NamedBit(1, 7, "magnetic stripe"),
    NamedBit(1, 6, "IC with contacts"),
    NamedBit(2, 8, "plaintext PIN for offline verification"),
    NamedBit(2, 7, "enciphered PIN for online verification"),
    NamedBit(2, 6, "signature"),
    NamedBit(2, 5, "enciphered PIN for offline verification"),
    NamedBit(2, 4, "no CVM required"),
    NamedBit(3, 8, "SDA"),
    NamedBit(3, 7, "DDA"),
    NamedBit(3, 6, "card capture"),
    NamedBit(3, 4, "CDA"),
  ]
}
