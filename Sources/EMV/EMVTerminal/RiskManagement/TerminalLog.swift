public import EMVData
public import Octets

/// What a terminal remembers of cards from one payment to the next: the last approved amount of each, and the cards of the
/// exception list. It holds keyed hashes, never account numbers. A value, which the caller stores.
public struct TerminalLog: Sendable {
  /// The last approved payment of a card.
  public struct Approval: Hashable, Sendable {
    /// The card.
    public let card: CardHash
    /// The numeric code of the currency.
    public let currency: String
    /// The amount in minor units.
    public let amount: UInt64

    /// Describes a payment.
    public init(card: CardHash, currency: String, amount: UInt64) {
      (self.card, self.currency, self.amount) = (card, currency, amount)
    }
  }

  /// What a log holds of a card.
  public struct Entry: Hashable, Sendable {
    /// The amount of its last approved payment in the currency, in minor units; nil when the log has none.
    public let lastAmount: UInt64?
    /// Whether the card is on the exception list.
    public let isExcepted: Bool

    /// Describes a card.
    public init(lastAmount: UInt64? = nil, isExcepted: Bool = false) {
      (self.lastAmount, self.isExcepted) = (lastAmount, isExcepted)
    }
  }

  /// The number of bytes of the key.
  public static let keyCount = 32
  /// The most approvals in a log; the oldest one is removed for a new one.
  public static let maximumApprovalCount = 1000

  /// The key of the hashes.
  private final class Key: Sendable {
    let octets: Secret
    init(_ octets: consuming Secret) { self.octets = octets }
  }

  private let key: Key
  /// The last approved payment of each card and currency, oldest first.
  public private(set) var approvals: [Approval]
  /// The cards of the exception list.
  public private(set) var exceptions: Set<CardHash>

  /// Creates a log.
  ///
  /// - Parameter key: The terminal's own key, 32 bytes; any other length traps.
  public init(key: consuming Secret, approvals: [Approval] = [], exceptions: Set<CardHash> = []) {
    precondition(key.count == Self.keyCount, "the key of a terminal's log has 32 bytes")
    self.key = Key(key)
    self.approvals = approvals
    self.exceptions = exceptions
  }

  /// Returns the last approved amount of a card in a currency, in minor units; nil when the log has none.
  public func lastAmount(of number: PrimaryAccountNumber, _ currency: Currency) -> UInt64? {
    let card = hash(of: number)
    return approvals.last { $0.card == card && $0.currency == currency.numericCode }?.amount
  }

  /// Returns whether a card is on the exception list.
  public func isExcepted(_ number: PrimaryAccountNumber) -> Bool {
    !exceptions.isEmpty && exceptions.contains(hash(of: number))
  }

  /// Keeps an approved payment in place of the former one of the same card and currency.
  public mutating func keep(_ request: AuthorizationRequest) {
    let (card, payment) = (hash(of: request.accountNumber), request.payment)
    approvals.removeAll { $0.card == card && $0.currency == payment.currency.numericCode }
    approvals.append(
      Approval(card: card, currency: payment.currency.numericCode, amount: payment.amount.minorUnits))
    approvals.removeFirst(max(0, approvals.count - Self.maximumApprovalCount))
  }

  /// Puts a card on the exception list.
  public mutating func except(_ number: PrimaryAccountNumber) { exceptions.insert(hash(of: number)) }

  /// Reads the key, for a store.
  public func withKey<Result>(_ body: (Span<UInt8>) -> Result) -> Result { key.octets.withExposedOctets(body) }

  private func hash(of number: PrimaryAccountNumber) -> CardHash { CardHash(number, key: key.octets) }
}

extension TerminalLog.Entry {
  /// The entry as a recording holds it: `unknown`, `last 1234`, `excepted` or `excepted last 1234`; the amount in minor
  /// units.
  public var recorded: String {
    let words = (isExcepted ? ["excepted"] : []) + (lastAmount.map { ["last \($0)"] } ?? [])
    return words.isEmpty ? "unknown" : words.joined(separator: " ")
  }

  /// Reads what `recorded` returns, with spaces around it; nil for any other text.
  public init?(recorded text: String) {
    let words = text.split(separator: " ")
    let isExcepted = words.first == "excepted"
    let amount = words.last.flatMap { UInt64($0) }
    self.init(lastAmount: amount, isExcepted: isExcepted)
    guard recorded == words.joined(separator: " ") else { return nil }
  }
}
