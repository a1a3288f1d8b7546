internal import EMVData

/// The spellings in which a cardholder's name is written.
package enum HolderNames {
  private static let minimumCount = 4

  /// Returns names in the form of a card (ISO/IEC 7813: surname/first name.title) and as people write them, the longest
  /// first, so that no name is replaced as a part of another.
  package static func spellings(of names: [[UInt8]]) -> [[UInt8]] {
    Set(names.flatMap { spellings(of: String(decoding: $0, as: UTF8.self)) }).map { Array($0.utf8) }
      .filter { $0.count >= minimumCount }
      .sorted { $0.count > $1.count || $0.count == $1.count && $0.lexicographicallyPrecedes($1) }
  }

  private static func spellings(of name: String) -> [String] {
    let parts = name.split(separator: "/").map { $0.split(separator: ".").first.map(trimmed) ?? "" }
    let people =
      parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      ? ["\(parts[0])/\(parts[1])", "\(parts[1]) \(parts[0])", "\(parts[0]) \(parts[1])"] : []
    let all = [name] + people
    return all + all.map { $0.lowercased() } + all.map(capitalized)
  }

  /// `Doe/John` for `DOE/JOHN`.
  private static func capitalized(_ name: String) -> String {
    var isStart = true
    return String(
      name.lowercased().map { character in
        defer { isStart = !character.isLetter }
        return isStart ? Character(character.uppercased()) : character
      })
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
