internal import Octets

/// A currency of a terminal, with the codes of ISO 4217.
public struct Currency: Hashable, Sendable {
  /// The exponents that an amount can have.
  public static let exponents = 0...4

  /// The numeric code, three digits such as `978`.
  public let numericCode: String
  /// The alphabetic code, three capital letters such as `EUR`.
  public let alphabeticCode: String
  /// How many decimals the currency has, 0...4.
  public let exponent: Int
  /// The terminal's floor limit in minor units, for applications without a limit of their own; nil without one.
  public let floorLimit: UInt64?

  /// Creates a currency; nil when a code is malformed or the exponent is out of range.
  public init?(numericCode: String, alphabeticCode: String, exponent: Int, floorLimit: UInt64? = nil) {
    guard numericCode.utf8.count == 3, numericCode.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      alphabeticCode.utf8.count == 3, alphabeticCode.utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
      Self.exponents.contains(exponent)
    else { return nil }
    self.numericCode = numericCode
    self.alphabeticCode = alphabeticCode
    self.exponent = exponent
    self.floorLimit = floorLimit
  }

  /// Tag 5F2A: the numeric code in two bytes, such as `0978`.
  public var octets: [UInt8] { BinaryCodedDecimal.octets(of: UInt64(numericCode) ?? 0, count: 2) ?? [] }

  /// One unit of the currency in minor units: 100 for exponent 2.
  public var singleUnit: UInt64 { (0..<exponent).reduce(1) { unit, _ in unit * 10 } }
}
