public import EMVData

/// What kernel 2 is set to: the configuration data objects of EMV Contactless Book C-2. The book is in no public
/// library; tags, names and meanings are those that open terminals agree on.
public struct Kernel2Configuration: Hashable, Sendable {
  /// Tag DF811B.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The octet.
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
    /// The bits above; others are not built.
    public static let known: Options = [.noMagStripeMode, .noEMVMode, .onDeviceVerification, .relayResistance]
  }

  /// What depends on whether the amount is above the CVM required limit.
  public struct Choice<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Above the limit.
    public let required: Value
    /// Up to the limit.
    public let notRequired: Value

    /// Creates a choice.
    public init(required: Value, notRequired: Value) {
      self.required = required
      self.notRequired = notRequired
    }

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
  /// Tags DF811E and DF812C: what verifies the cardholder in mag-stripe mode.
  public let magStripeVerification: Choice<VerificationMethod>
  /// Tags DF8120 to DF8122.
  public let actionCodes: TerminalActionCodes
  /// Tag DF811A: the data object list for a card that brings none.
  public let defaultUDOL: DataObjectList
  /// Tag 9F7E without bit 2.
  public let mobileSupport: UInt8
  /// Tag 9F09, two octets.
  public let applicationVersion: [UInt8]
  /// Tag 9F6D, two octets.
  public let magStripeVersion: [UInt8]
  /// How the distance of a card is measured.
  public let relayResistance: RelayResistance
}

/// Terminal action codes, laid out as tag 95 (EMV 4.4 Book 3, 10.7).
public struct TerminalActionCodes: Hashable, Sendable {
  /// Any of these bits denies the payment.
  public let denial: TerminalVerificationResults
  /// Any of these bits asks for the host.
  public let online: TerminalVerificationResults
  /// Any of these bits denies the payment when the host cannot be reached.
  public let fallback: TerminalVerificationResults

  /// Creates action codes.
  public init(
    denial: TerminalVerificationResults = .init(), online: TerminalVerificationResults = .init(),
    fallback: TerminalVerificationResults = .init()
  ) {
    self.denial = denial
    self.online = online
    self.fallback = fallback
  }
}
