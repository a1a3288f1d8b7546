extension Array where Element == UInt8 {
  /// Whether all bytes are printable ASCII, 20 to 7E.
  package var isPrintable: Bool { allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Int {
  /// The number with its noun, whose plural ends with s: `1 tap`, `2 taps`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

  /// The number of bytes in words: `1 byte`, `2 bytes`.
  package var bytes: String { counted("byte") }
}
