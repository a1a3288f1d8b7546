/// A kernel whose definitions of tags differ from those of the EMV books (EMV Contactless Book B, table 3-6).
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
}

extension ContactlessKernel {
  /// The owner of the kernel.
  public var name: String {
    switch self {
    case .mastercard: "Mastercard"
    case .visa: "Visa"
    case .americanExpress: "American Express"
    case .jcb: "JCB"
    case .discover: "Discover"
    case .unionPay: "UnionPay"
    }
  }
}
