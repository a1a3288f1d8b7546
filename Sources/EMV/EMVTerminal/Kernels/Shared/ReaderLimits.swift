public import Documents
internal import EMVData
internal import JSON

/// The limits of an application by currency: the key `limits` of an application in a terminal profile (EMV Contactless
/// Book B v2.11, 3.1: reader contactless limits). Each kernel decides how an amount compares with them.
public struct ReaderLimits: Hashable, Sendable {
  /// Limits in minor units of one currency; nil where no limit applies.
  public struct Limits: Hashable, Sendable {
    /// Reader contactless transaction limit.
    public var transaction: UInt64?
    /// Reader CVM required limit.
    public var cvmRequired: UInt64?
    /// Reader contactless floor limit.
    public var floor: UInt64?
    /// Limits that only one kernel has, by their key in the profile.
    public var further: [String: UInt64] = [:]
  }

  /// The limits by numeric currency code.
  public let byCurrency: [String: Limits]

  /// The limits for the currency of a payment. All are nil for a currency without an entry.
  public subscript(request: PaymentRequest) -> Limits { byCurrency[request.currency.numericCode] ?? Limits() }
}

// The key `limits`.
extension ReaderLimits {
  private static let name = "limits"
  private static let keys = [
    ProfileKey(
      "currency", .text, isRequired: true, range: 3...3, help: "The alphabetic code of a currency of the profile."),
    ProfileKey(
      "transaction", .amount,
      help: "Reader contactless transaction limit: kernel 2 (tag DF8124) above it, the others at it or above.",
      source: "EMV Contactless Book B v2.11, 3.1.1.5"),
    ProfileKey(
      "cvmRequired", .amount,
      help: "Reader CVM required limit: kernel 2 (tag DF8126) above it, the others at it or above.",
      source: "EMV Contactless Book B v2.11, 3.1.1.8"),
    ProfileKey(
      "floor", .amount,
      help: """
        Reader contactless floor limit: an amount above it needs an online cryptogram. When left out, the terminal's \
        `floorLimit` of the currency.
        """,
      source: "EMV Contactless Book B v2.11, 3.1.1.6"),
  ]

  /// The declaration of `limits`, for the `profileKeys` of a kernel.
  ///
  /// - Parameter further: Limits that only this kernel has.
  public static func key(further: [ProfileKey] = []) -> ProfileKey {
    ProfileKey(
      name, .list(.object(keys + further)), isRequired: true,
      help: "One entry for each currency. A limit that is left out does not exist, but for `floor`.")
  }

  /// Reads `limits` of an application. Problems are noted in the reader: an amount that its currency cannot have, a
  /// currency that the profile does not have, and a currency without an entry.
  ///
  /// - Parameter further: Limits that only this kernel has.
  public init(reading application: inout ObjectReader, _ currencies: [Currency], further: [ProfileKey] = []) {
    var found: [String: Limits] = [:]
    _ = application.objects(Self.name) { entry in
      let code = entry.text("currency")
      let names = ["transaction", "cvmRequired", "floor"] + further.map(\.name)
      let texts = names.map { entry.optionalText($0) }
      guard let currency = currencies.first(where: { $0.alphabeticCode == code }) else {
        entry.note("currency", "\"\(code)\" is not among the profile's currencies")
        return
      }
      if found[currency.numericCode] != nil { entry.note("currency", "\(code) comes twice") }
      var amounts: [String: UInt64] = [:]
      for (name, text) in zip(names, texts) {
        amounts[name] = text.flatMap { Self.amount($0, currency, name, &entry) }
      }
      found[currency.numericCode] = Limits(
        transaction: amounts["transaction"], cvmRequired: amounts["cvmRequired"],
        floor: amounts["floor"] ?? currency.floorLimit,
        further: amounts.filter { amount in further.contains { $0.name == amount.key } })
    }
    for currency in currencies where found[currency.numericCode] == nil {
      application.note(
        Self.name, "no limits for \(currency.alphabeticCode): each currency of the profile needs an entry")
    }
    byCurrency = found
  }

  private static func amount(
    _ text: String, _ currency: Currency, _ key: String, _ entry: inout ObjectReader
  ) -> UInt64? {
    do throws(Amount.Fault) {
      return try Amount(text, exponent: currency.exponent).minorUnits
    } catch {
      entry.note(key, "\"\(text)\" in \(currency.alphabeticCode): \(error)")
      return nil
    }
  }
}

// How the amount of a payment compares with the limits (EMV Contactless Book B v2.11, 3.1.1.5 to 3.1.1.8).
extension ReaderLimits {
  // Whether the amount is at the transaction limit or above it.
  func isTransactionLimitReached(by request: PaymentRequest) -> Bool {
    self[request].transaction.map { request.amount.minorUnits >= $0 } ?? false
  }

  // Whether the amount is at the CVM required limit or above it.
  func isVerificationRequired(for request: PaymentRequest) -> Bool {
    self[request].cvmRequired.map { request.amount.minorUnits >= $0 } ?? false
  }

  // Whether the amount is above the floor limit.
  func isFloorExceeded(by request: PaymentRequest) -> Bool {
    self[request].floor.map { request.amount.minorUnits > $0 } ?? false
  }
}
