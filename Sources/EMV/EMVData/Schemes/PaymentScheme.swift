public import ISO7816
internal import Octets

/// A payment scheme, described once by its registered application provider identifier (RID, ISO/IEC 7816-5).
public struct PaymentScheme: Hashable, Sendable {
  /// The registered identifier at the start of the scheme's application identifiers: five bytes.
  public let provider: [UInt8]
  /// The owner of the identifier.
  public let name: String
  /// The kernel of an application that requests none (EMV Contactless Book B, table 3-6); nil for any kernel.
  public let kernel: ContactlessKernel?
  /// The first digits of the scheme's account numbers (ISO/IEC 7812-1 and the ranges that the schemes publish); empty
  /// when they are not checked.
  public let firstDigits: String
  /// The application identifiers to try on a card without a directory (as the schemes publish them).
  public let applications: [[UInt8]]

  private init(
    _ provider: UInt64, _ name: String, _ kernel: ContactlessKernel? = nil, firstDigits: String = "",
    applications extensions: [[UInt8]] = []
  ) {
    let identifier = Self.bytes(provider)
    (self.provider, self.name, self.kernel, self.firstDigits) = (identifier, name, kernel, firstDigits)
    applications = extensions.map { identifier + $0 }
  }

  private static func bytes(_ provider: UInt64) -> [UInt8] {
    (0..<5).reversed().map { UInt8(truncatingIfNeeded: provider >> (8 * $0)) }
  }

  /// Returns the scheme of an application identifier, or of its first five bytes or more; nil for an identifier that is
  /// not in use for payment.
  public static func of(_ application: [UInt8]) -> PaymentScheme? { byProvider[Array(application.prefix(5))] }

  /// Returns the scheme of an application.
  public static func of(_ application: AID) -> PaymentScheme? { of(application.octets) }

  /// Whether an application identifier, or the beginning of one, is that of a payment application. A name of fewer than
  /// five bytes is not. Does not allocate.
  public static func isPayment(_ name: Span<UInt8>) -> Bool {
    name.count >= 5 && numbers.contains(name.integer(at: 0, count: 5))
  }

  /// Visa.
  public static let visa = PaymentScheme(
    0xA0_0000_0003, "Visa", .visa, firstDigits: "4", applications: [[0x10, 0x10], [0x20, 0x10]])
  /// Mastercard.
  public static let mastercard = PaymentScheme(
    0xA0_0000_0004, "Mastercard", .mastercard, firstDigits: "256", applications: [[0x10, 0x10], [0x30, 0x60]])

  /// American Express.
  public static let americanExpress = PaymentScheme(
    0xA0_0000_0025, "American Express", .americanExpress, firstDigits: "3", applications: [[0x01]])

  /// JCB.
  public static let jcb = PaymentScheme(0xA0_0000_0065, "JCB", .jcb, applications: [[0x10, 0x10]])

  /// Discover and Diners Club. Discover has a second identifier, A000000324.
  public static let discover = PaymentScheme(
    0xA0_0000_0152, "Discover and Diners Club", .discover, applications: [[0x30, 0x10]])

  /// UnionPay.
  public static let unionPay = PaymentScheme(
    0xA0_0000_0333, "UnionPay", .unionPay, applications: [[0x01, 0x01, 0x01]])

  /// The application identifiers of all schemes to try on a card without a directory.
  public static let knownApplications = all.flatMap(\.applications)

  /// All schemes: the payment systems in the public lists of EFTLab (eftlab.com, "RID list") and of proxmark3
  /// (aidlist.json).
  public static let all: [PaymentScheme] = [
    visa, mastercard,
    PaymentScheme(0xA0_0000_0005, "Switch Card Services (Maestro UK)"),
    PaymentScheme(0xA0_0000_0010, "Europay (Mastercard)"),
    americanExpress,
    PaymentScheme(0xA0_0000_0029, "LINK (United Kingdom)"),
    PaymentScheme(0xA0_0000_0042, "Cartes Bancaires CB (France)"),
    PaymentScheme(0xA0_0000_0059, "Deutsche Kreditwirtschaft (girocard)"),
    jcb,
    PaymentScheme(0xA0_0000_0098, "Visa USA (common debit)"),
    PaymentScheme(0xA0_0000_0111, "PostFinance (Switzerland)"),
    PaymentScheme(0xA0_0000_0121, "Dankort (Denmark)"),
    PaymentScheme(0xA0_0000_0141, "PagoBANCOMAT (Italy)"),
    discover,
    PaymentScheme(0xA0_0000_0154, "Banrisul (Brazil)"),
    PaymentScheme(0xA0_0000_0228, "mada (Saudi Arabia)"),
    PaymentScheme(0xA0_0000_0277, "Interac (Canada)", applications: [[0x10, 0x10]]),
    PaymentScheme(0xA0_0000_0324, "Discover", .discover),
    unionPay,
    PaymentScheme(0xA0_0000_0359, "EAPS (girocard, PagoBANCOMAT)"),
    PaymentScheme(0xA0_0000_0366, "Postamat (Italy)"),
    PaymentScheme(0xA0_0000_0371, "Verve (Nigeria)"),
    PaymentScheme(0xA0_0000_0384, "eftpos (Australia)"),
    PaymentScheme(0xA0_0000_0427, "Hipercard (Brazil)"),
    PaymentScheme(0xA0_0000_0436, "Edenred"),
    PaymentScheme(0xA0_0000_0439, "Accel/Exchange (United States)"),
    PaymentScheme(0xA0_0000_0454, "eTranzact (Nigeria)"),
    PaymentScheme(0xA0_0000_0524, "RuPay (India)"),
    PaymentScheme(0xA0_0000_0620, "Debit Network Alliance (United States)"),
    PaymentScheme(0xA0_0000_0651, "Elo (Brazil)"),
    PaymentScheme(0xA0_0000_0658, "Mir (Russia)"),
    PaymentScheme(0xA0_0000_0672, "TROY (Türkiye)"),
    PaymentScheme(0xA0_0000_0732, "Meeza (Egypt)"),
    PaymentScheme(0xA0_0000_0779, "ZimSwitch (Zimbabwe)"),
    PaymentScheme(0xD0_5600_0666, "Bancontact (Belgium)"),
    PaymentScheme(0xD5_7800_0002, "BankAxept (Norway)"),
    PaymentScheme(0xB0_1234_5678, "Maestro, for tests"),
    PaymentScheme(0xD2_7600_0025, "Deutsche Kreditwirtschaft (girocard)"),
  ]

  /// The product of a scheme that an application identifier names, such as `Maestro`; nil for the scheme's main product and
  /// for an unknown one.
  public static func product(of application: [UInt8]) -> String? {
    products.first { application.starts(with: $0.start) }?.name
  }

  // The same lists.
  private static let products: [(start: [UInt8], name: String)] = [
    (visa.provider + [0x20, 0x10], "Visa Electron"), (visa.provider + [0x20, 0x20], "V PAY"),
    (mastercard.provider + [0x30, 0x60], "Maestro"), (mastercard.provider + [0x60, 0x00], "Cirrus"),
  ]

  private static let byProvider = Dictionary(uniqueKeysWithValues: all.map { ($0.provider, $0) })
  private static let numbers = Set(all.map { $0.provider.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } })
}

extension ContactlessKernel {
  /// Creates the kernel of an application's scheme, or nil for other schemes.
  public init?(application: AID) {
    guard let kernel = PaymentScheme.of(application)?.kernel else { return nil }
    self = kernel
  }
}
