internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// The payments that a card approves without its issuer, with a TC: those of one currency up to a limit. Reads `offlineApproval`
/// of an application. The limit is for one payment; a card whose keys are used up makes no cryptogram at all.
public struct OfflineApproval: Sendable {
  /// The conditions, at the positions of a list of values.
  public struct Rule: Sendable {
    /// The offset of tag 9F02, 6 bytes.
    let amount: Int
    /// The offset of tag 5F2A, 2 bytes.
    let currency: Int
    /// The largest amount, its decimal digits as hexadecimal ones.
    let limit: UInt64
    /// The code, its decimal digits as hexadecimal ones.
    let code: UInt16
    /// The bits with which a terminal asks for an online cryptogram, or nil.
    let exception: CommandProgram.ValueBits?
  }

  static let limit = ProfileKey(
    "limit", .integer, isRequired: true, range: 0...999_999_999_999,
    help: "The largest amount, tag 9F02, in the smallest unit of the currency.")
  static let currency = ProfileKey(
    "currency", .digits, isRequired: true, range: 3...3, help: "The numeric code (ISO 4217), tag 5F2A.")
  static let key = ProfileKey(
    "offlineApproval", .object([limit, currency]),
    help: """
      The payments that the card approves without its issuer (TC) when the terminal lets it; only for a card that signs. It \
      never approves when left out.
      """, source: "EMV 4.4 Book 3, 9.3")

  private let limit: UInt64
  private let code: UInt16

  /// Reads the key; nil when it is absent or wrong.
  ///
  /// - Parameter isSigning: Whether the application makes signatures.
  init?(_ application: inout ObjectReader, isSigning: Bool) {
    let read = application.optionalObject(Self.key.name) { reader -> (limit: Int, code: String) in
      (reader.integer(Self.limit) ?? 0, reader.text(Self.currency.name))
    }
    guard let read else { return nil }
    guard read.code.utf8.count == 3, let code = UInt16(read.code, radix: 16), UInt16(read.code) != nil,
      let digits = BinaryCodedDecimal.octets(of: UInt64(read.limit), count: 6)
    else {
      application.note(Self.key.name, "\"\(read.code.prefix(8))\" is not the numeric code of a currency, 3 digits")
      return nil
    }
    guard isSigning else {
      application.note(Self.key.name, "no terminal accepts an offline approval of a card without signatures")
      return nil
    }
    limit = digits.reduce(0) { $0 << 8 | UInt64($1) }
    self.code = code
  }

  /// The rule for a list of values; notes a list without amount and currency.
  func rule(
    _ list: DataObjectList, unless exception: CommandProgram.ValueBits? = nil, _ application: inout ObjectReader
  ) -> Rule? {
    guard let amount = list.range(of: .amountAuthorised), amount.count == 6,
      let currency = list.range(of: .transactionCurrencyCode), currency.count == 2
    else {
      application.note(Self.key.name, "the card must ask for tags 9F02 and 5F2A to compare them with the limit")
      return nil
    }
    return Rule(
      amount: amount.lowerBound, currency: currency.lowerBound, limit: limit, code: code, exception: exception)
  }
}

extension OfflineApproval.Rule {
  /// Whether the card approves a payment with these values.
  func approves(_ values: Span<UInt8>) -> Bool {
    if let exception, values[exception.offset] & exception.mask != 0 { return false }
    return values.integer(at: currency, as: UInt16.self) == code && values.integer(at: amount, count: 6) <= limit
  }
}

extension CardProfile.Application {
  /// The limit of offline approvals in the smallest unit of a currency, and its numeric code; nil when the card never approves.
  public var offlineApproval: (limit: Int, currency: String)? {
    get {
      guard let value = schemeKeys[OfflineApproval.key.name], let limit = value[OfflineApproval.limit.name]?.integer,
        let currency = value[OfflineApproval.currency.name]?.text
      else { return nil }
      return (limit, currency)
    }
    set {
      schemeKeys[OfflineApproval.key.name] = newValue.map {
        ["limit": JSONValue($0.limit), "currency": JSONValue($0.currency)]
      }
    }
  }
}
