/// Tracks in text: `%B`, account number, `^`, name, `^` and the rest for track 1; account number, `=` or `D` and the
/// rest for track 2 (ISO/IEC 7813).
public enum TrackText {
  private static let caret = UInt8(ascii: "^")
  private static let longestName = 45
  // Expiry date and service code.
  private static let keptCount = 7

  /// Returns the names between the separators of track 1.
  public static func names(in text: [UInt8]) -> [[UInt8]] {
    text.indices.compactMap { place in
      guard place > 0, text[place] == caret, text[place - 1].isDigit else { return nil }
      let name = text[(place + 1)...].prefix(longestName).prefix { $0 != caret && (0x20...0x7E).contains($0) }
      return AccountNumberSearch.cardholderName(name)
    }
  }

  /// Whether a text has the form of a name: letters, spaces, dots, hyphens and apostrophes around one slash.
  public static func isName(_ text: [UInt8]) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return text.count <= longestName && parts.count == 2
      && parts.allSatisfy { part in
        part.contains(where: \.isLetter)
          && part.allSatisfy { $0.isLetter || [0x20, 0x27, 0x2D, 0x2E].contains($0) }
      }
  }

  /// Hides what follows an account number in text: the name becomes X. Expiry date and service code stay, and the
  /// discretionary data after them become zeros.
  ///
  /// - Parameters:
  ///   - end: The place after the number.
  ///   - text: The text.
  public static func hideRest(after end: Int, in text: inout [UInt8]) {
    guard end + 1 < text.count else { return }
    switch text[end] {
    case UInt8(ascii: "="), UInt8(ascii: "D"), UInt8(ascii: "d"):
      if text[end + 1].isDigit { hideDigits(from: end + 1, in: &text) }
    case caret:
      let name = text[(end + 1)...].prefix(longestName).prefix { $0 != caret && (0x20...0x7E).contains($0) }
      guard name.endIndex < text.count, text[name.endIndex] == caret else { return }
      for place in name.indices { text[place] = UInt8(ascii: "X") }
      let rest = text[(name.endIndex + 1)...].prefix { $0.isDigit || $0.isLetter }
      for place in rest.indices.dropFirst(keptCount) { text[place] = 0x30 }
    default: break
    }
  }

  private static func hideDigits(from start: Int, in text: inout [UInt8]) {
    let rest = text[start...].prefix(while: \.isDigit)
    for place in rest.indices.dropFirst(keptCount) { text[place] = 0x30 }
  }
}
