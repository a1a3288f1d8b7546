/// A data element whose bits have names.
public protocol BitField: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger & UnsignedInteger {
  /// The bits with a meaning of their own.
  static var bits: [NamedBit] { get }
  /// The groups of bits with a common meaning; empty for most elements.
  static var fields: [NamedField] { get }
  /// The number of bytes of the element, 1...8; by default the size of the raw value. The last byte
  /// is in the raw value's low eight bits.
  static var octetCount: Int { get }
}

extension BitField {
  /// All bytes of the raw value.
  public static var octetCount: Int { RawValue.bitWidth / 8 }

  /// No groups.
  public static var fields: [NamedField] { [] }

  /// Reads bytes, or nil when their number is not `octetCount`.
  public init?(octets: [UInt8]) {
    guard octets.count == Self.octetCount else { return nil }
    self.init(rawValue: octets.reduce(0) { $0 << 8 | RawValue($1) })
  }

  /// The bytes, the first byte first.
  public var octets: [UInt8] { (1...Self.octetCount).map(octet) }

  /// Whether a bit is set. Bytes count from 1, and bit 8 is the highest, as in the EMV books.
  public func isSet(octet: Int, bit: Int) -> Bool {
    rawValue & Self.mask(octet, bit) != 0
  }

  /// The names of the bits that are set and the meanings of the groups, in order; a bit that is set without having a
  /// meaning is named RFU, reserved for future use.
  public var words: [String] { (1...Self.octetCount).flatMap(words) }

  private func words(_ number: Int) -> [String] {
    let octet = octet(number)
    var words: [String] = []
    var bit = 8
    while bit >= 1 {
      if let field = Self.fields.first(where: { $0.octet == number && $0.bits.upperBound == bit }) {
        if let text = field.text(in: octet) { words.append(text) }
        bit = field.bits.lowerBound
      } else if octet >> (bit - 1) & 1 == 1 {
        let name = Self.bits.first { $0.octet == number && $0.bit == bit }?.name
        words.append("byte \(number) bit \(bit): \(name ?? "RFU")")
      }
      bit -= 1
    }
    return words
  }

  private func octet(_ number: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: rawValue >> RawValue((Self.octetCount - number) * 8))
  }

  static func mask(_ octet: Int, _ bit: Int) -> RawValue {
    1 << RawValue((octetCount - octet) * 8 + bit - 1)
  }
}

/// A bit with its name.
public struct NamedBit: Sendable {
  /// The byte, from 1, as in the EMV books.
  public let octet: Int
  /// The bit, 1...8, where 8 is the highest, as in the EMV books.
  public let bit: Int
  /// The meaning when the bit is set.
  public let name: String

  init(_ octet: Int, _ bit: Int, _ name: String) {
    self.octet = octet
    self.bit = bit
    self.name = name
  }
}

/// Bits of one byte with a common meaning.
public struct NamedField: Sendable {
  /// The byte, from 1, as in the EMV books.
  public let octet: Int
  /// The bits, 1...8, where 8 is the highest, as in the EMV books.
  public let bits: ClosedRange<Int>
  /// The name of the group.
  public let name: String
  /// The meanings of its values; empty when the value is a number.
  public let values: [UInt8: String]

  init(_ octet: Int, _ bits: ClosedRange<Int>, _ name: String, _ values: [UInt8: String] = [:]) {
    self.octet = octet
    self.bits = bits
    self.name = name
    self.values = values
  }

  /// Returns the group's value in a byte, shifted to bit 1.
  public func value(in octet: UInt8) -> UInt8 {
    octet >> UInt8(bits.lowerBound - 1) & (0xFF >> UInt8(8 - bits.count))
  }

  /// Returns the meaning in words; nil for a zero without a meaning.
  func text(in octet: UInt8) -> String? {
    let value = value(in: octet)
    let place = "byte \(self.octet) bits \(bits.upperBound)-\(bits.lowerBound): \(name)"
    if value == 0, values[0] == nil { return nil }
    if values.isEmpty { return "\(place) \(value)" }
    return "\(place) \(values[value] ?? "RFU (\(value))")"
  }
}
