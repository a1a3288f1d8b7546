internal import Documents
internal import EMVData
internal import JSON
internal import Octets

/// The payments that a card approves without its issuer, with a TC: those of one currency up to a limit. Reads `offlineApproval`
/// of an application. The limit is for one payment; a card whose keys are used up makes no cryptogram at all.
public struct OfflineApproval: Sendable {
  /// The conditions, at the positions of a list of values.
  public struct Rule: Sendable {
    let approval: OfflineApproval
    /// The offset of tag 9F02, 6 bytes.
    let amount: Int
    /// The offset of tag 5F2A, 2 bytes.
    let currency: Int
    /// The bits with which a terminal asks for an online cryptogram, or nil.
    let exception: CommandProgram.ValueBits?
  }

  static let limit = ProfileKey(
    "limit", .integer, isRequired: true, range: 0...999_999_999_999,
    help: "The largest amount, tag 9F02, in the smallest unit of the currency.")
  static let currency = ProfileKey(
    "currency", .digits, isRequired: true, range: 3...3, help: "The numeric code (ISO 4217), tag 5F2A.")
  static let count = ProfileKey(
    "count", .integer, range: 0...0xFFFF,
    help: """
      The most payments that it approves until it has authenticated its issuer again; any number when left out. A payment whose \
      process was ended counts as one.
      """)
  static let total = ProfileKey(
    "total", .integer, range: 0...999_999_999_999,
    help: """
      The largest sum of their amounts; any sum when left out. A payment whose process was ended counts with the largest amount \
      that it was allowed.
      """)
  static let key = ProfileKey(
    "offlineApproval", .object([limit, currency, count, total]),
    help: """
      The payments that the card approves without its issuer (TC) when the terminal lets it; only for a card that signs. It \
      never approves when left out.
      """, source: "EMV 4.4 Book 3, 9.3")

  /// The largest amount of one payment.
  private let largestAmount: UInt64
  /// The code, its decimal digits as hexadecimal ones.
  fileprivate let code: UInt16
  /// The most payments that are approved one after the other without the issuer; nil for any number.
  public let countLimit: Int?
  /// Their largest sum; nil for any.
  private let totalLimit: UInt64?

  /// Reads the key; nil when it is absent or wrong.
  ///
  /// - Parameter isSigning: Whether the application makes signatures.
  init?(_ application: inout ObjectReader, isSigning: Bool) {
    let read = application.optionalObject(Self.key.name) { reader in
      (
        limit: reader.integer(Self.limit) ?? 0, code: reader.text(Self.currency.name),
        count: reader.optionalInteger(Self.count.name, in: 0...0xFFFF),
        total: reader.optionalInteger(Self.total.name, in: 0...999_999_999_999)
      )
    }
    guard let read else { return nil }
    guard read.code.utf8.count == 3, let code = UInt16(read.code, radix: 16), UInt16(read.code) != nil else {
      application.note(Self.key.name, "\"\(read.code.prefix(8))\" is not the numeric code of a currency, 3 digits")
      return nil
    }
    guard isSigning else {
      application.note(Self.key.name, "no terminal accepts an offline approval of a card without signatures")
      return nil
    }
    largestAmount = UInt64(read.limit)
    self.code = code
    countLimit = read.count
    totalLimit = read.total.map { UInt64($0) }
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
    return Rule(approval: self, amount: amount.lowerBound, currency: currency.lowerBound, exception: exception)
  }
}

extension OfflineApproval {
  /// What one more payment may approve, after those since the issuer was last authenticated: one payment up to the limit, or up to
  /// what is left of the sum; none when the number is reached or the sum exceeded.
  ///
  /// - Parameter approved: The payments that were approved, and those that are reserved.
  public func allowance(after approved: OfflineApprovals) -> OfflineApprovals {
    if let countLimit, approved.count >= countLimit { return .none }
    guard let totalLimit else { return OfflineApprovals(count: 1, amount: largestAmount) }
    guard approved.amount <= totalLimit else { return .none }
    return OfflineApprovals(count: 1, amount: min(largestAmount, totalLimit - approved.amount))
  }
}

extension OfflineApproval.Rule {
  /// Whether the card approves a payment with these values.
  ///
  /// - Parameter allowance: What the card may approve with its use.
  func approves(_ values: Span<UInt8>, within allowance: OfflineApprovals) -> Bool {
    if let exception, values[exception.offset] & exception.mask != 0 { return false }
    guard allowance.count > 0, values.integer(at: currency, as: UInt16.self) == approval.code,
      let amount = amount(in: values)
    else { return false }
    return amount <= allowance.amount
  }

  /// The amount of a payment; nil for other than decimal digits.
  func amount(in values: Span<UInt8>) -> UInt64? {
    try? BinaryCodedDecimal.value(of: values.part(at: amount, count: 6))
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
