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

extension String {
  /// The text as one word of a POSIX shell: in single quotes where it has other characters than letters, digits and
  /// `_@%+=:,./-`.
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { octet in
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_@%+=:,./-".utf8.contains(octet)
        }
      }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}
