extension FixedWidthInteger where Self: UnsignedInteger {
  /// The bytes of the full width, the least significant first, as USB sends numbers.
  var littleEndianOctets: [UInt8] {
    stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// Reads bytes, the least significant first; nil when there are more than the type holds.
  init?(littleEndian octets: some BidirectionalCollection<UInt8>) {
    guard octets.count <= Self.bitWidth / 8 else { return nil }
    self = octets.reversed().reduce(0) { $0 << 8 | Self($1) }
  }
}
