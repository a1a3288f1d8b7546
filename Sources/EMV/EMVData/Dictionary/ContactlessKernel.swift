public import ISO7816

/// A kernel whose definitions of tags differ from those of the EMV books (EMV Contactless Book B, table 3-6; the
/// providers' identifiers are those of ISO/IEC 7816-5 registrations).
public enum ContactlessKernel: UInt8, CaseIterable, Sendable {
  /// Book C-2.
  case mastercard = 2
  /// Book C-3.
  case visa = 3
  /// Book C-4.
  case americanExpress = 4
  /// Book C-5.
  case jcb = 5
  /// Book C-6.
  case discover = 6
  /// Book C-7.
  case unionPay = 7

  /// Creates the kernel of an application's provider, or nil for other providers.
  public init?(application: AID) {
    guard let kernel = Self.allCases.first(where: { $0.provider == application.rid }) else { return nil }
    self = kernel
  }

  /// The registered identifier of the scheme: five bytes.
  public var provider: [UInt8] {
    switch self {
    case .mastercard: [0xA0, 0x00, 0x00, 0x00, 0x04]
    case .visa: [0xA0, 0x00, 0x00, 0x00, 0x03]
    case .americanExpress: [0xA0, 0x00, 0x00, 0x00, 0x25]
    case .jcb: [0xA0, 0x00, 0x00, 0x00, 0x65]
    case .discover: [0xA0, 0x00, 0x00, 0x01, 0x52]
    case .unionPay: [0xA0, 0x00, 0x00, 0x03, 0x33]
    }
  }
}
