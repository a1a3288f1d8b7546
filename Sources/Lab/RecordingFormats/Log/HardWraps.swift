internal import Transcripts

/// Lines that a console or a mail program has broken inside a byte, so that one half of it stands on each of two lines.
enum HardWraps {
  /// The fewest digits of a run that is taken for a broken one: an odd number of digits is common in shorter ones.
  private static let minimumDigitCount = 15

  /// Joins each broken line with those that go on with its digits, which become empty.
  static func joined(_ lines: [String]) -> [String] {
    var lines = lines
    var index = 0
    while index < lines.count {
      let count = followerCount(of: index, in: lines)
      for next in index + 1..<index + 1 + count {
        lines[index] += lines[next].trimmed
        lines[next] = ""
      }
      index += count + 1
    }
    return lines
  }

  /// How many lines go on with the digits of a line; 0 for a line that ends with a whole byte.
  private static func followerCount(of index: Int, in lines: [String]) -> Int {
    var digits = trailingDigitCount(lines[index].utf8)
    guard digits >= minimumDigitCount, !digits.isMultiple(of: 2) else { return 0 }
    let width = lines[index].utf8.count
    var next = index + 1
    var isFull = true
    while next < lines.count, isFull || !digits.isMultiple(of: 2) {
      let line = lines[next].trimmed.utf8
      guard !line.isEmpty, line.allSatisfy({ $0.hexadecimalDigit != nil }) else { break }
      digits += line.count
      isFull = lines[next].utf8.count >= width
      next += 1
    }
    return digits.isMultiple(of: 2) ? next - index - 1 : 0
  }

  private static func trailingDigitCount(_ line: String.UTF8View) -> Int {
    let digits = line.reversed().prefix { $0.hexadecimalDigit != nil }.count
    let before = line.dropLast(digits).last
    return before.map { $0.isWordPart } ?? false ? 0 : digits
  }
}
