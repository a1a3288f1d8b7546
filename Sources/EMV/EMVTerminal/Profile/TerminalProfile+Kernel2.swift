extension TerminalProfile {
  /// What kernel 2 is set to, as a person writes it. The tags are those of EMV Contactless Book C-2, which is in no
  /// public library; names and values are those that open terminals use.
  public struct Kernel2: Codable, Hashable, Sendable {
    /// Tag DF811B: one octet. Bit 8 no mag-stripe mode, bit 7 no EMV mode, bit 6 verification on the device supported,
    /// bit 5 relay resistance supported.
    public var configuration: String
    /// Tag DF8117, byte 1 of tag 9F33: card data input capability, one octet.
    public var cardDataInput: String
    /// Tag DF811F, byte 3 of tag 9F33: security capability, one octet.
    public var security: String
    /// Byte 2 of tag 9F33: what can verify the cardholder in EMV mode, one octet each.
    public var cvmCapability: Capability
    /// What verifies the cardholder in mag-stripe mode: `00` nothing, `10` a signature, `20` an online PIN.
    public var magStripeCVM: Capability
    /// The terminal action codes. All zero when left out.
    public var actionCodes: ActionCodes?
    /// Tag DF811A: the data object list for a card that brings none, in hexadecimal. `9F6A04` when left out.
    public var defaultUDOL: String?
    /// Tag 9F7E: one octet; bit 2 is set anew for each payment. `01` when left out.
    public var mobileSupport: String?
    /// Tag 9F09: two octets. `0002` when left out.
    public var applicationVersion: String?
    /// Tag 9F6D: two octets. `0001` when left out.
    public var magStripeVersion: String?
    /// How the distance of a card is measured. What open terminals use when left out.
    public var relayResistance: RelayResistance?

    /// A capability above the CVM required limit and up to it.
    public struct Capability: Codable, Hashable, Sendable {
      /// Above the limit: tag DF8118 or DF811E.
      public var required: String
      /// Up to the limit: tag DF8119 or DF812C.
      public var notRequired: String
    }

    /// Terminal action codes: five octets each, laid out as tag 95.
    public struct ActionCodes: Codable, Hashable, Sendable {
      /// Tag DF8121: any of these bits denies the payment.
      public var denial: String
      /// Tag DF8122: any of these bits asks for the host, which this terminal does anyway.
      public var online: String
      /// Tag DF8120: what is denied when there is no host to reach; kept, since this terminal always has one.
      public var `default`: String
    }

    /// Times are whole numbers of 100 microseconds, 0...65535.
    public struct RelayResistance: Codable, Hashable, Sendable {
      /// How often a card that was too slow is asked again, 0...2. 2 when left out.
      public var furtherTries: Int?
      /// Tag DF8132: how much faster than it says a card may be. 20 when left out.
      public var minimumGrace: Int?
      /// Tag DF8133: how much slower. 50 when left out.
      public var maximumGrace: Int?
      /// Tag DF8134: what the command takes on the air. 18 when left out.
      public var commandTime: Int?
      /// Tag DF8135: what the answer takes on the air. 24 when left out.
      public var responseTime: Int?
      /// Tag DF8136: how much longer than the card's minimum is no sign of a relay. 300 when left out.
      public var accuracy: Int?
      /// Tag DF8137: how far the two estimates for the answer may lie apart, in percent, 0...100. 50 when left out.
      public var mismatch: Int?
    }
  }
}

extension ProfileShape {
  static var kernel2: ProfileShape {
    .object([
      .required("configuration", .text), .required("cardDataInput", .text), .required("security", .text),
      .required("cvmCapability", capability), .required("magStripeCVM", capability),
      .optional("actionCodes", actionCodes), .optional("defaultUDOL", .text), .optional("mobileSupport", .text),
      .optional("applicationVersion", .text), .optional("magStripeVersion", .text),
      .optional("relayResistance", relayResistance),
    ])
  }

  private static var capability: ProfileShape {
    .object([.required("required", .text), .required("notRequired", .text)])
  }

  private static var actionCodes: ProfileShape {
    .object([.required("denial", .text), .required("online", .text), .required("default", .text)])
  }

  private static var relayResistance: ProfileShape {
    .object(
      [
        "furtherTries", "minimumGrace", "maximumGrace", "commandTime", "responseTime", "accuracy", "mismatch",
      ].map { .optional($0, .integer) })
  }
}
