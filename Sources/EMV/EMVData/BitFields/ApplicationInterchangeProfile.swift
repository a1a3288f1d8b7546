/// AIP, tag 82: the functions of the application (EMV 4.4 Book 3, annex C1; contactless: Books C-2, C-3 and C-4, annex
/// A).
///
/// Each contactless kernel defines the second byte itself; `words(kernel:)` names its bits for one kernel.
public struct ApplicationInterchangeProfile: OptionSet, BitField {
  /// Both bytes, the first in the high place.
  public let rawValue: UInt16

  /// Creates a profile.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 8: extended data authentication (XDA).
  public static let xda = Self(rawValue: mask(1, 8))
  /// Byte 1 bit 7: static data authentication.
  public static let sda = Self(rawValue: mask(1, 7))
  /// Byte 1 bit 6: dynamic data authentication.
  public static let dda = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 5: cardholder verification.
  public static let cardholderVerification = Self(rawValue: mask(1, 5))
  /// Byte 1 bit 3: issuer authentication with EXTERNAL AUTHENTICATE.
  public static let issuerAuthentication = Self(rawValue: mask(1, 3))
  /// Byte 1 bit 2: on-device cardholder verification (kernel 2).
  public static let onDeviceVerification = Self(rawValue: mask(1, 2))
  /// Byte 1 bit 1: combined data authentication.
  public static let cda = Self(rawValue: mask(1, 1))
  /// Byte 2 bit 8: EMV mode (kernels 2 and 4).
  public static let emvMode = Self(rawValue: mask(2, 8))
  /// Byte 2 bit 7: mobile device (kernels 2, 3 and 4).
  public static let mobileDevice = Self(rawValue: mask(2, 7))
  /// Byte 2 bit 1: relay resistance protocol (kernel 2).
  public static let relayResistance = Self(rawValue: mask(2, 1))

  /// The names of the bits that are set, those of the second byte as a kernel has them.
  public func words(kernel: ContactlessKernel?) -> [String] {
    guard let kernel, let names = Self.secondOctet[kernel] else { return words }
    let own = words.filter { !$0.hasPrefix("byte 2") }
    return own
      + stride(from: 8, through: 1, by: -1).filter { isSet(octet: 2, bit: $0) }
      .map { "byte 2 bit \($0): \(names[$0] ?? "RFU")" }
  }

  private static let secondOctet: [ContactlessKernel: [Int: String]] = [
    .mastercard: [8: "EMV mode supported", 7: "mobile device", 1: "relay resistance protocol supported"],
    .visa: [8: "MSD supported (no longer used)", 7: "mobile device"],
    .americanExpress: [
      8: "EMV and mag-stripe modes supported", 7: "mobile device", 6: "contactless transaction (host card emulation)",
    ],
  ]

  /// The names of the bits.
  public static let layout = BitLayout(
    2,
    [
      1: [
        8: "XDA supported", 7: "SDA supported", 6: "DDA supported", 5: "cardholder verification supported",
        4: "terminal risk management to be performed", 3: "issuer authentication supported",
        2: "on-device cardholder verification supported", 1: "CDA supported",
      ],
      2: [
        8: "EMV mode supported (kernel 2)", 7: "mobile device", 6: "contactless transaction",
        1: "relay resistance protocol supported",
      ],
    ])
}
