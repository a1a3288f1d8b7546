/// What a terminal is, as a person writes it: the JSON of `Fixtures/Terminals`. Nothing in it is checked; see
/// `TerminalConfiguration`, which is compiled from it.
public struct TerminalProfile: Codable, Hashable, Sendable {
  /// What the profile is called.
  public var name: String
  /// Tag 9F1A: ISO 3166-1 numeric code, three digits.
  public var countryCode: String
  /// Tag 9F35: two digits (EMV 4.4 Book 4, annex A1).
  public var terminalType: String
  /// Tag 9F33: three octets in hexadecimal (EMV 4.4 Book 4, annex A2).
  public var capabilities: String
  /// Tag 9F40: five octets in hexadecimal (EMV 4.4 Book 4, annex A3).
  public var additionalCapabilities: String?
  /// Who takes the payment.
  public var merchant: Merchant
  /// The currencies that the terminal takes.
  public var currencies: [Money]
  /// The applications that the terminal takes.
  public var applications: [Application]

  /// Who takes the payment.
  public struct Merchant: Codable, Hashable, Sendable {
    /// Tag 9F4E: name and location, 1...40 characters of ASCII.
    public var name: String
    /// Tag 9F15: four digits (ISO 18245).
    public var categoryCode: String
    /// Tag 9F16: 15 characters.
    public var identifier: String?
    /// Tag 9F1C: 8 characters that name the terminal.
    public var terminalIdentifier: String?
  }

  /// A currency (ISO 4217).
  public struct Money: Codable, Hashable, Sendable {
    /// The numeric code, three digits.
    public var code: String
    /// The alphabetic code, three capital letters.
    public var name: String
    /// How many decimals it has, 0...4.
    public var exponent: Int
  }

  /// Applications that share a kernel and its settings: one combination (Book B, 3.1) for each AID.
  public struct Application: Codable, Hashable, Sendable {
    /// What people call it.
    public var name: String
    /// Whole AIDs or beginnings of AIDs, 5...16 octets in hexadecimal each.
    public var aids: [String]
    /// The kernel: 3 for Book C-3, 2 for Book C-2.
    public var kernel: Int
    /// Kernel 3: tag 9F66 in hexadecimal. Byte 2 bits 8 and 7 are set anew for each payment.
    public var qualifiers: String?
    /// Kernel 2: its settings.
    public var kernel2: Kernel2?
    /// Whether an amount of zero is taken; it then goes online. No when left out.
    public var zeroAmountAllowed: Bool?
    /// Whether an amount of one unit asks for an online cryptogram. No when left out.
    public var statusCheck: Bool?
    /// Whether tag 9F29 of a directory entry is appended to the selected name. No when left out.
    public var extendedSelection: Bool?
    /// The limits, one entry for each currency of the profile.
    public var limits: [Limits]
  }

  /// The limits of an application in one currency: decimal text in the currency's main unit, such as `50.00`.
  public struct Limits: Codable, Hashable, Sendable {
    /// The alphabetic code of the currency.
    public var currency: String
    /// Reader contactless transaction limit. Kernel 3: from this amount on, no contactless payment. Kernel 2, tag
    /// DF8124: above this amount, none with a card that does not verify its holder on the device. None when left out.
    public var transaction: String?
    /// Kernel 2, tag DF8125: above this amount, no contactless payment with a device that verifies its holder. None
    /// when left out.
    public var transactionOnDevice: String?
    /// Reader CVM required limit. Kernel 3: from this amount on, the cardholder must be verified; kernel 2, tag DF8126:
    /// above this amount. Never when left out.
    public var cvmRequired: String?
    /// Reader contactless floor limit: above this amount, an online cryptogram is asked for. `0` asks at every amount.
    public var floor: String?
  }
}
