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

/// Bits of one octet that mean something together.
public struct NamedField: Sendable {
  /// The octet, from 1, as the books count.
  public let octet: Int
  /// The bits, 8 for the highest, as the books count.
  public let bits: ClosedRange<Int>
  /// What the group is about.
  public let name: String
  /// What its values mean; empty for a number.
  public let values: [UInt8: String]

  init(_ octet: Int, _ bits: ClosedRange<Int>, _ name: String, _ values: [UInt8: String] = [:]) {
    self.octet = octet
    self.bits = bits
    self.name = name
    self.values = values
  }

  /// The group's value in an octet, shifted down.
  public func value(in octet: UInt8) -> UInt8 {
    octet >> UInt8(bits.lowerBound - 1) & (0xFF >> UInt8(8 - bits.count))
  }

  /// The meaning in words; nil for a zero without a meaning.
  func text(in octet: UInt8) -> String? {
    let value = value(in: octet)
    let place = "byte \(self.octet) bits \(bits.upperBound)-\(bits.lowerBound): \(name)"
    if value == 0, values[0] == nil { return nil }
    if values.isEmpty { return "\(place) \(value)" }
    return "\(place) \(values[value] ?? "RFU (\(value))")"
  }
}
