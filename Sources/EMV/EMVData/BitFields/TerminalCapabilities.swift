/// TSI, tag 9B: the functions performed so far in the transaction (EMV 4.4 Book 3, annex C6).
public struct TransactionStatusInformation: OptionSet, BitField {
  /// Two bytes, the last in the low eight bits.
  public let rawValue: UInt16

  /// Creates a value of its bits.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The names of the bits.
  public static let layout = BitLayout(
    2,
    [
      1: [
        8: "offline data authentication was performed", 7: "cardholder verification was performed",
        6: "card risk management was performed", 5: "issuer authentication was performed",
        4: "terminal risk management was performed", 3: "script processing was performed",
      ]
    ])
}

extension BitLayout {
  /// Tag 9F33: a terminal's means to read cards, verify cardholders and authenticate data (EMV 4.4 Book 4, annex A2).
  public static let terminalCapabilities = BitLayout(
    3,
    [
      1: [8: "manual key entry", 7: "magnetic stripe", 6: "IC with contacts"], 2: verificationMethods,
      3: [8: "SDA", 7: "DDA", 6: "card capture", 4: "CDA", 3: "XDA"],
    ])

  /// Tags DF8118 and DF8119 of kernel 2: the methods that apply above and below the limit, as in byte 2 of tag 9F33.
  public static let verificationCapability = BitLayout(1, [1: verificationMethods])

  private static let verificationMethods: [Int: String] = [
    8: "plaintext PIN for offline verification", 7: "enciphered PIN for online verification", 6: "signature",
    5: "enciphered PIN for offline verification, RSA", 4: "no CVM required", 3: "online biometrics",
    2: "offline biometrics", 1: "enciphered PIN for offline verification, ECC",
  ]
}
