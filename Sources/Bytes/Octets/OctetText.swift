extension Array where Element == UInt8 {
  /// Whether all octets are printable ASCII, 20 to 7E.
  package var isPrintable: Bool { allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Int {
  /// The number with its noun: `1 octet`, `2 octets`.
  package var octets: String { self == 1 ? "1 octet" : "\(self) octets" }
}
