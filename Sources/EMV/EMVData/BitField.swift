/// A data element whose bits have names: readable in words.
public protocol BitField: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger & UnsignedInteger {
  /// The tag's name in the books.
  static var bits: [NamedBit] { get }
}

/// A bit and its name.
public struct NamedBit: Sendable {
  /// The octet, from 1, as the books count.
  public let octet: Int
  /// The bit, 8 for the highest, as the books count.
  public let bit: Int
  /// What it means when it is set.
  public let name: String

  init(_ octet: Int, _ bit: Int, _ name: String) {
    self.octet = octet
    self.bit = bit
    self.name = name
  }
}

extension BitField {
  /// Whether a bit is set, counted as in the books: octet 1 first, bit 8 highest.
  public func isSet(octet: Int, bit: Int) -> Bool {
    rawValue & Self.mask(octet, bit) != 0
  }

  /// The names of the bits that are set, in order.
  public var words: [String] {
    Self.bits.filter { isSet(octet: $0.octet, bit: $0.bit) }.map { "byte \($0.octet) bit \($0.bit): \($0.name)" }
  }

  static func mask(_ octet: Int, _ bit: Int) -> RawValue {
    1 << RawValue(RawValue.bitWidth - octet * 8 + bit - 1)
  }
}
