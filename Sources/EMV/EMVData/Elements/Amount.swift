internal import Octets

/// An amount in the smallest unit of its currency, with the currency's exponent (ISO 4217).
public struct Amount: Hashable, Sendable, CustomStringConvertible {
  /// The reason why text is not an amount.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A character is neither a digit nor the only decimal point.
    case character(Character, position: Int)
    /// The text has no digits.
    case empty
    /// The text has more decimals than the currency.
    case tooManyDecimals(Int, limit: Int)
    /// The amount has more than twelve digits in the smallest unit.
    case tooLarge(limit: Int)

    /// A sentence with the position, the value and the limit.
    public var description: String {
      switch self {
      case .character(let character, let position):
        "character \(position + 1) of the amount is \"\(character)\": digits and one decimal point are expected"
      case .empty: "the amount has no digits"
      case .tooManyDecimals(let count, let limit): "the amount has \(count) decimals: the currency has \(limit)"
      case .tooLarge(let limit): "the amount has more than \(limit) digits in the currency's smallest unit"
      }
    }
  }

  /// Tag 9F02 holds twelve digits.
  public static let maximumDigits = 12

  /// The amount in the smallest unit, 0...999999999999.
  public let minorUnits: UInt64
  /// The number of decimals of the currency, 0...4.
  public let exponent: Int

  /// Creates an amount, or nil when it has more than twelve digits.
  public init?(minorUnits: UInt64, exponent: Int) {
    guard minorUnits < 1_000_000_000_000 else { return nil }
    self.minorUnits = minorUnits
    self.exponent = exponent
  }

  /// Reads text such as `12.34` or `5`.
  public init(_ text: String, exponent: Int) throws(Fault) {
    var digits: [UInt8] = []
    var decimals: Int?
    for (position, character) in text.enumerated() {
      if character == ".", decimals == nil, !digits.isEmpty {
        decimals = 0
      } else if character.isASCII, let digit = character.wholeNumberValue {
        digits.append(UInt8(digit))
        decimals = decimals.map { $0 + 1 }
      } else {
        throw .character(character, position: position)
      }
    }
    guard !digits.isEmpty else { throw .empty }
    let given = decimals ?? 0
    guard given <= exponent else { throw .tooManyDecimals(given, limit: exponent) }
    let significant = digits.drop { $0 == 0 } + Array(repeating: 0, count: exponent - given)
    guard significant.count <= Self.maximumDigits else { throw .tooLarge(limit: Self.maximumDigits) }
    minorUnits = significant.reduce(0) { $0 * 10 + UInt64($1) }
    self.exponent = exponent
  }

  /// Reads tag 9F02 or 9F03: six bytes of decimal digits.
  ///
  /// - Throws: `OctetsError` for a nibble above 9 or more than twelve digits.
  public init(numeric octets: [UInt8], exponent: Int) throws {
    let value = try BinaryCodedDecimal.value(of: octets.span)
    guard let amount = Amount(minorUnits: value, exponent: exponent) else { throw Fault.tooLarge(limit: 12) }
    self = amount
  }

  /// The six bytes of tag 9F02.
  public var numeric: [UInt8] { BinaryCodedDecimal.octets(of: minorUnits, count: 6) ?? [] }

  /// The amount with its decimals: `50.65`, `5065` for exponent 0.
  public var description: String {
    guard exponent > 0 else { return String(minorUnits) }
    let digits = String(minorUnits)
    let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    return padded.dropLast(exponent) + "." + padded.suffix(exponent)
  }
}
