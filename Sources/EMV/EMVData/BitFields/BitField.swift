/// A data element whose bits have names.
public protocol BitField: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger & UnsignedInteger {
  /// The length of the element and the names of its bits. The last byte is in the raw value's low eight bits.
  static var layout: BitLayout { get }
}

extension BitField {
  /// Reads bytes, or nil when their number is not that of the layout.
  public init?(octets: [UInt8]) {
    guard octets.count == Self.layout.octetCount else { return nil }
    self.init(rawValue: octets.reduce(0) { $0 << 8 | RawValue($1) })
  }

  /// The bytes, the first byte first.
  public var octets: [UInt8] {
    (1...Self.layout.octetCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> RawValue(($0 - 1) * 8)) }
  }

  /// Whether a bit is set. Bytes count from 1, and bit 8 is the highest, as in the EMV books.
  public func isSet(octet: Int, bit: Int) -> Bool {
    rawValue & Self.mask(octet, bit) != 0
  }

  /// The names of the bits that are set and the meanings of the groups, as the layout words them.
  public var words: [String] { Self.layout.words(octets) ?? [] }

  // The value of a bit.
  package static func mask(_ octet: Int, _ bit: Int) -> RawValue {
    1 << RawValue((layout.octetCount - octet) * 8 + bit - 1)
  }
}

/// The length of a data element, 1...8 bytes, and the names of its bits.
public struct BitLayout: Sendable {
  /// The number of bytes.
  public let octetCount: Int
  /// The bits with a meaning of their own, from the first byte's bit 8.
  public let bits: [NamedBit]
  /// The groups of bits with a common meaning; empty for most elements.
  public let fields: [NamedField]

  /// Takes the names of the bits by byte and bit.
  init(_ octetCount: Int, _ names: [Int: [Int: String]], fields: [NamedField] = []) {
    self.octetCount = octetCount
    self.fields = fields
    bits = names.sorted { $0.key < $1.key }.flatMap { octet, names in
      names.sorted { $0.key > $1.key }.map { NamedBit(octet: octet, bit: $0.key, name: $0.value) }
    }
  }

  /// Returns the names of the bits that are set and the meanings of the groups, in order; a bit that is set without
  /// having a meaning is named RFU, reserved for future use. Nil when the number of bytes is another.
  public func words(_ octets: [UInt8]) -> [String]? {
    octets.count == octetCount ? octets.enumerated().flatMap { words($0.offset + 1, $0.element) } : nil
  }

  private func words(_ number: Int, _ octet: UInt8) -> [String] {
    var words: [String] = []
    var bit = 8
    while bit >= 1 {
      if let field = fields.first(where: { $0.octet == number && $0.bits.upperBound == bit }) {
        if let text = field.text(in: octet) { words.append(text) }
        bit = field.bits.lowerBound
      } else if octet >> (bit - 1) & 1 == 1 {
        let name = bits.first { $0.octet == number && $0.bit == bit }?.name
        words.append("byte \(number) bit \(bit): \(name ?? "RFU")")
      }
      bit -= 1
    }
    return words
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
