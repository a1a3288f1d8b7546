public import EMVData

/// The settings of kernel 2: the configuration data objects of EMV Contactless Book C-2. The book is in no public
/// library; tags, names and meanings are those that open terminals agree on.
public struct Kernel2Configuration: Hashable, Sendable {
  /// Tag DF811B.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The byte of tag DF811B.
    public let rawValue: UInt8

    /// Creates options.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bit 8: no mag-stripe mode.
    public static let noMagStripeMode = Options(rawValue: 0x80)
    /// Bit 7: no EMV mode.
    public static let noEMVMode = Options(rawValue: 0x40)
    /// Bit 6: cardholder verification on the device is supported.
    public static let onDeviceVerification = Options(rawValue: 0x20)
    /// Bit 5: the relay resistance protocol is supported.
    public static let relayResistance = Options(rawValue: 0x10)
    /// The bits above. The other bits are not built.
    public static let known: Options = [.noMagStripeMode, .noEMVMode, .onDeviceVerification, .relayResistance]
  }

  /// A setting with one value above the CVM required limit and another one up to it.
  public struct Choice<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value above the limit.
    public let required: Value
    /// The value up to the limit.
    public let notRequired: Value

    func callAsFunction(_ isRequired: Bool) -> Value { isRequired ? required : notRequired }
  }

  /// Tag DF811B.
  public let options: Options
  /// Tag DF8117: byte 1 of tag 9F33.
  public let cardDataInput: UInt8
  /// Tag DF811F: byte 3 of tag 9F33.
  public let security: UInt8
  /// Tags DF8118 and DF8119: byte 2 of tag 9F33.
  public let cvmCapability: Choice<UInt8>
  /// Tags DF811E and DF812C: the cardholder verification in mag-stripe mode.
  public let magStripeVerification: Choice<CardholderVerificationMethod>
  /// Tags DF8120 to DF8122.
  public let actionCodes: TerminalActionCodes
  /// Tag DF811A: the data object list for a card without one.
  public let defaultUDOL: DataObjectList
  /// Tag 9F7E without bit 2.
  public let mobileSupport: UInt8
  /// Tag 9F09, two bytes.
  public let applicationVersion: [UInt8]
  /// Tag 9F6D, two bytes.
  public let magStripeVersion: [UInt8]
  /// The settings of the relay resistance protocol.
  public let relayResistance: RelayResistance
  /// Whether a card with tag 8D stays in the field for the host's response. No public document of the kernel has this
  /// step; the flow is that of EMV 4.4 Book 3, 10.9 to 10.11.
  public let secondCryptogram: Bool
  /// Tag DF8131, in the order of the profile.
  public let phoneMessages: [PhoneMessage]
  /// Tag DF811D: how many payments are kept whose card left while it made its cryptogram; 0 for none.
  public let tornTransactions: Int
}
