/// A data element whose bits have names: readable in words.
public protocol BitField: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger & UnsignedInteger {
  /// The bits that mean something of their own.
  static var bits: [NamedBit] { get }
  /// The groups of bits that mean something together; none in most elements.
  static var fields: [NamedField] { get }
  /// How many octets the element has, 1...8; all of the raw value's unless the element says otherwise. The last octet
  /// is in the raw value's low eight bits.
  static var octetCount: Int { get }
}

extension BitField {
  /// All octets of the raw value.
  public static var octetCount: Int { RawValue.bitWidth / 8 }

  /// No groups.
  public static var fields: [NamedField] { [] }

  /// Reads octets, or nil when they are not as many as the element has.
  public init?(octets: [UInt8]) {
    guard octets.count == Self.octetCount else { return nil }
    self.init(rawValue: octets.reduce(0) { $0 << 8 | RawValue($1) })
  }

  /// The octets, the first octet first.
  public var octets: [UInt8] { (1...Self.octetCount).map(octet) }

  /// Whether a bit is set, counted as in the books: octet 1 first, bit 8 highest.
  public func isSet(octet: Int, bit: Int) -> Bool {
    rawValue & Self.mask(octet, bit) != 0
  }

  /// The names of the bits that are set and the meanings of the groups, in order; a bit that is set without having a
  /// meaning is reserved for future use (RFU) and said to be so.
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
