extension FixedWidthInteger where Self: UnsignedInteger {
  /// The bytes of the full width, the most significant first: `UInt16(0x61).bigEndianOctets` is `[0x00, 0x61]`.
  public var bigEndianOctets: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// Reads bytes, the most significant first; nil when there are more than the type holds.
  public init?(bigEndian octets: some Collection<UInt8>) {
    guard octets.count <= Self.bitWidth / 8 else { return nil }
    self = octets.reduce(0) { $0 << 8 | Self($1) }
  }
}
