/// Tag 9F40: transaction types, keys, displays and printers of a terminal (EMV 4.4 Book 4, annex A3).
public struct AdditionalTerminalCapabilities: OptionSet, BitField {
  /// Five bytes.
  public static let octetCount = 5

  /// Five bytes, the last in the low eight bits.
  public let rawValue: UInt64

  /// Creates a value of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let bits: [NamedBit] = [
    NamedBit(1, 8, "cash"),
    NamedBit(1, 7, "goods"),
    NamedBit(1, 6, "services"),
    NamedBit(1, 5, "cashback"),
    NamedBit(1, 4, "inquiry"),
    NamedBit(1, 3, "transfer"),
    NamedBit(1, 2, "payment"),
    NamedBit(1, 1, "administrative"),
    NamedBit(2, 8, "cash deposit"),
    NamedBit(3, 8, "numeric keys"),
    NamedBit(3, 7, "alphabetic and special character keys"),
    NamedBit(3, 6, "command keys"),
    NamedBit(3, 5, "function keys"),
    NamedBit(4, 8, "print, attendant"),
    NamedBit(4, 7, "print, cardholder"),
    NamedBit(4, 6, "display, attendant"),
    NamedBit(4, 5, "display, cardholder"),
    NamedBit(4, 2, "code table 10"),
    NamedBit(4, 1, "code table 9"),
    NamedBit(5, 8, "code table 8"),
    NamedBit(5, 7, "code table 7"),
    NamedBit(5, 6, "code table 6"),
    NamedBit(5, 5, "code table 5"),
    NamedBit(5, 4, "code table 4"),
    NamedBit(5, 3, "code table 3"),
    NamedBit(5, 2, "code table 2"),
    NamedBit(5, 1, "code table 1"),
  ]
}
