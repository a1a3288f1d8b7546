/// The lengths and times that stand in parentheses or brackets of a line: `(20 bytes)`, `(4+0014)`, `[   20 bytes]`,
/// `(26ms)`.
struct LogGroups {
  private(set) var statedCount: Int?
  /// The lengths of header and command data, or of response data and status word.
  private(set) var parts: (Int, Int)?
  private(set) var duration: Int64?

  /// The number of bytes that a line with this label states.
  func count(for label: LogLabel) -> Int? {
    guard let parts else { return statedCount }
    // The length field and Le are not counted.
    return label.side == .response ? parts.0 + parts.1 : nil
  }

  /// Returns the groups of a line, and the line with blanks in their place.
  static func split(_ line: [UInt8]) -> (groups: LogGroups, plain: [UInt8]) {
    var (groups, plain) = (LogGroups(), line)
    for (place, count) in lengths(in: line) {
      groups.statedCount = groups.statedCount ?? count
      for index in place { plain[index] = 0x20 }
    }
    var start = 0
    while start < line.count {
      guard line[start] == 0x28 || line[start] == 0x5B,
        let end = line[start...].prefix(28).firstIndex(of: line[start] == 0x28 ? 0x29 : 0x5D)
      else {
        start += 1
        continue
      }
      if groups.take(line[(start + 1)..<end], isRound: line[start] == 0x28) {
        for place in start...end { plain[place] = 0x20 }
        start = end
      }
      start += 1
    }
    return (groups, plain)
  }

  private static let lengthWords = [Array("length".utf8), Array("len".utf8)]

  /// The lengths that stand in words: `length 20`, `len =  23`.
  private static func lengths(in line: [UInt8]) -> [(place: Range<Int>, count: Int)] {
    guard line.firstRange(of: lengthWords[1]) != nil else { return [] }
    return line.indices.compactMap { start in
      guard start == 0 || !line[start - 1].isWordPart,
        let word = lengthWords.first(where: { line[start...].starts(with: $0) })
      else { return nil }
      let mark = line[(start + word.count)...].drop { $0 == 0x20 }
      let sign = mark.first == 0x3A || mark.first == 0x3D ? mark.dropFirst() : mark
      let number = sign.drop { $0 == 0x20 }
      let digits = number.prefix(while: \.isDigit)
      guard number.startIndex > start + word.count, (1...6).contains(digits.count),
        digits.endIndex == line.endIndex || !line[digits.endIndex].isWordPart
      else { return nil }
      let bytes = Array(", bytes = ".utf8)
      let end = line[digits.endIndex...].starts(with: bytes) ? digits.endIndex + bytes.count : digits.endIndex
      return (start..<end, digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
    }
  }

  /// Reads the content of a group; returns whether it is a length or a time.
  private mutating func take(_ content: ArraySlice<UInt8>, isRound: Bool) -> Bool {
    let text = String(decoding: content, as: UTF8.self).drop { $0 == " " }
    let number = text.prefix { $0.isASCII && $0.isNumber }
    let rest = text.dropFirst(number.count)
    if let duration = Self.duration(in: Array(content)), rest.utf8.count <= 12 {
      self.duration = self.duration ?? duration
      return true
    }
    guard !number.isEmpty, number.count <= 6, let value = Int(number) else { return false }
    if rest.first == "+", rest.utf8.dropFirst().allSatisfy(\.isDigit), let other = Int(rest.dropFirst()),
      rest.count <= 6
    {
      parts = parts ?? (value, other)
      return true
    }
    let isCount =
      ["bytes", "byte", "B", "octets"].contains(rest.drop { $0 == " " }) || isRound && rest.isEmpty
    if isCount, !rest.isEmpty { statedCount = statedCount ?? value }
    return isCount
  }

  /// Reads `54.000 ms` or `1.5s` as nanoseconds: up to nine digits before the point and six after it.
  static func duration(in text: [UInt8]) -> Int64? {
    guard let start = text.firstIndex(where: \.isDigit) else { return nil }
    let whole = text[start...].prefix(while: \.isDigit)
    var rest = text[whole.endIndex...]
    var fraction: ArraySlice<UInt8> = []
    if rest.first == 0x2E {
      fraction = rest.dropFirst().prefix(while: \.isDigit)
      rest = rest.dropFirst(fraction.count + 1)
    }
    let unit = String(decoding: rest.drop { $0 == 0x20 }.prefix { $0.isLetter || $0 >= 0x80 }, as: UTF8.self)
    let zeros = ["ms": 6, "us": 3, "µs": 3, "s": 9][unit]
    guard let zeros, whole.count <= 9, fraction.count <= zeros, start == 0 || text[start - 1] != 0x2D else {
      return nil
    }
    let digits =
      String(decoding: whole + fraction, as: UTF8.self) + String(repeating: "0", count: zeros - fraction.count)
    return Int64(digits)
  }
}
