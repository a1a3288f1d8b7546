internal import Octets

/// Tag 9C: the first two digits of the ISO 8583 processing code. Unknown values are kept.
public struct TransactionType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The byte.
  public let rawValue: UInt8

  /// Creates a type.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// 00: purchase of goods or services.
  public static let purchase = Self(rawValue: 0x00)
  /// 01: cash that is paid out.
  public static let cash = Self(rawValue: 0x01)
  /// 09: purchase with cashback.
  public static let purchaseWithCashback = Self(rawValue: 0x09)
  /// 20: refund.
  public static let refund = Self(rawValue: 0x20)

  /// The name, or the hexadecimal value of an unknown type.
  public var description: String { Self.names[rawValue] ?? "unknown \(rawValue.hex)" }

  private static let names: [UInt8: String] = [
    0x00: "purchase", 0x01: "cash", 0x09: "purchase with cashback", 0x02: "debit adjustment", 0x17: "cash disbursement",
    0x20: "refund",
    0x23: "credit adjustment", 0x30: "balance", 0x40: "transfer",
  ]
}
