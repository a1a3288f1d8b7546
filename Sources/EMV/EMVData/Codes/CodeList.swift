/// A list of codes that is written as text.
enum CodeList {
  /// Reads entries of a number, letters and a name, such as `276 DE Germany`. The first entry of a number counts.
  static func numbered(_ list: String, separator: Character) -> [Int: (letters: String, name: String)] {
    let entries = list.split(separator: separator).compactMap { entry -> (Int, (letters: String, name: String))? in
      let parts = entry.drop { $0.isWhitespace }.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let number = Int(parts[0]) else { return nil }
      return (number, (String(parts[1]), String(parts[2])))
    }
    return Dictionary(entries) { first, _ in first }
  }
}
