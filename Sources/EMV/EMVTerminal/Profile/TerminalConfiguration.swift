internal import Documents
public import EMVCryptography
internal import EMVData
public import JSON

/// A terminal profile, checked and compiled once: every payment of the terminal uses it. Immutable.
public struct TerminalConfiguration: Sendable {
  /// The kernels of this package.
  public static let kernels: [KernelDefinition] = [
    Kernel2.definition, Kernel3.definition,
    Kernel4.definition, Kernel5.definition,
    Kernel6.definition, Kernel7.definition,
  ]

  /// The name of the profile.
  public let name: String
  /// The currencies, in the order of the profile.
  public let currencies: [Currency]
  /// The combinations of AID and kernel, in the order of the profile.
  public let combinations: [Combination]
  /// The languages in which the terminal shows messages, its own first.
  public let languages: [CardholderLanguage]
  /// Whether a payment begins with the field on, start B, without pre-processing.
  public let isAutorun: Bool
  // The most commands that one activation of any kernel sends.
  let maximumKernelCommandCount: Int
  // The terminal's own data elements.
  let terminalData: TerminalData
  // The keys for offline data authentication.
  let authorities: CertificationAuthorities

  /// The keys of certification authorities with which the terminal checks cards.
  public var certificationAuthorities: [CertificationAuthorityKey] { authorities.keys }
}

extension TerminalConfiguration {
  /// Reads a profile.
  ///
  /// - Parameters:
  ///   - octets: JSON text in UTF-8; `Fixtures/Terminals/README.md` describes the keys.
  ///   - kernels: The kernels that an application of the profile can name.
  /// - Throws: `TerminalProfileError` with every problem.
  public init(
    json octets: some Sequence<UInt8>, kernels: [KernelDefinition] = Self.kernels
  ) throws(TerminalProfileError) {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue(parsing: octets)
    } catch {
      let reason = "not JSON: expected \(error.expected), found \(error.found)"
      throw TerminalProfileError([DocumentProblem("$", at: error.position, reason)])
    }
    try self.init(document, kernels: kernels)
  }

  /// Reads a profile that was parsed before.
  ///
  /// - Throws: `TerminalProfileError` with every problem.
  public init(
    _ document: JSONValue, kernels: [KernelDefinition] = Self.kernels
  ) throws(TerminalProfileError) {
    var profile = ObjectReader(document)
    self.init(reading: &profile, kernels)
    let problems = profile.finish()
    guard problems.isEmpty else { throw TerminalProfileError(problems) }
  }

  /// The currency with a numeric or alphabetic code, such as `978` or `EUR`; nil when the terminal does not take it.
  public func currency(_ code: some StringProtocol) -> Currency? {
    currencies.first { $0.numericCode == code || $0.alphabeticCode == code }
  }
}

extension PaymentRequest {
  /// Checks that a terminal can take the request. A transaction checks it too.
  ///
  /// - Throws: `PaymentRequestError`.
  public func check(against configuration: TerminalConfiguration) throws(PaymentRequestError) {
    guard configuration.currencies.contains(currency) else {
      throw .currencyNotTaken(currency.alphabeticCode, taken: configuration.currencies.map(\.alphabeticCode))
    }
    for amount in [amount, amountOther ?? amount] where amount.exponent != currency.exponent {
      throw .exponentDiffers(amount.exponent, currency: currency.exponent)
    }
    guard let cashback = amountOther?.minorUnits, cashback > 0 else { return }
    guard cashback <= amount.minorUnits else { throw .amountOtherTooLarge }
    guard [.purchase, .purchaseWithCashback].contains(type) else { throw .cashbackNotOfType(type) }
    // EMV 4.4 Book 4, annex A3.
    guard (configuration.terminalData[.additionalTerminalCapabilities]?.first ?? 0) & 0x10 != 0 else {
      throw .cashbackNotOffered
    }
  }
}
