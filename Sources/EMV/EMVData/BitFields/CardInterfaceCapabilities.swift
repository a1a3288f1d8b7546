/// Tag 9F70 of American Express: the interfaces of the card (public lists of data elements).
public struct CardInterfaceCapabilities: OptionSet, BitField {
  /// Two bytes, the last in the low eight bits.
  public let rawValue: UInt16

  /// Creates a value of its bits.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 6: contact.
  public static let contact = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 3: no contactless mag-stripe mode.
  public static let noMagStripeMode = Self(rawValue: mask(1, 3))

  /// The names of the bits.
  public static let layout = BitLayout(
    2,
    [
      1: [
        8: "keyed data entry supported", 7: "mag-stripe supported", 6: "contact supported",
        5: "contactless EMV mode supported", 4: "contactless mobile supported",
        3: "contactless mag-stripe mode not supported",
      ],
      2: [
        8: "delayed authorisation, byte 2 bit 8", 7: "delayed authorisation, byte 2 bit 7",
        6: "delayed authorisation, byte 2 bit 6",
      ],
    ])
}

extension BitLayout {
  /// Tag 9F6D of American Express: the reader's modes (public lists of data elements).
  public static let contactlessReaderCapabilities = BitLayout(
    1, [1: [4: "CVM required"]],
    fields: [
      NamedField(
        1, 7...8, "modes",
        [
          0: "deprecated", 1: "mag-stripe mode", 2: "EMV and mag-stripe mode, Expresspay 2.0",
          3: "EMV and mag-stripe mode, Expresspay 3 and later",
        ])
    ])
}
