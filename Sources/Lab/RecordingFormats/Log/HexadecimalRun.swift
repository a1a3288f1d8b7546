/// Bytes as programs and people write them, found in a line of text.
///
/// Digits may stand alone (`00A40400`), with the same separator between all bytes (blanks, colons, dashes, dots, commas),
/// with `0x`, `\x`, `(byte)` or `h` at each byte, in quotes, as signed or unsigned decimal numbers in brackets, or as the
/// bytes of Python (`b'\x6f\x10'`).
public struct HexadecimalRun: Equatable, Sendable {
  /// The bytes.
  public let octets: [UInt8]
  /// Where they stand in the line, with brackets and quotes.
  let range: Range<Int>
  /// Whether brackets or a mark at each byte show that these are bytes.
  let isMarked: Bool

  /// Reads a whole text as bytes; nil when anything else is in it.
  public init?(wholeText text: String) {
    let line = Array(text.utf8)
    guard let start = line.firstIndex(where: { $0 > 0x20 }), let run = HexadecimalRun(line, at: start),
      line[run.range.upperBound...].allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") })
    else { return nil }
    self = run
  }

  /// Reads the bytes that begin at a place; nil when none do.
  init?(_ line: [UInt8], at start: Int) { self.init(line, at: start, shortBytes: RunScanner.startOfShortBytes(line)) }

  private init?(_ line: [UInt8], at start: Int, shortBytes: Int) {
    var scanner = RunScanner(line: line, index: start, shortBytes: shortBytes)
    guard let octets = scanner.octets() else { return nil }
    self.octets = octets
    range = start..<scanner.index
    isMarked = scanner.isMarked
  }

  /// Returns the runs of a line, in order.
  static func all(in line: [UInt8], from start: Int = 0) -> [HexadecimalRun] {
    var (runs, index): ([HexadecimalRun], Int) = ([], start)
    let shortBytes = RunScanner.startOfShortBytes(line)
    while index < line.count {
      let isBoundary = index == 0 || !line[index - 1].isWordPart
      if isBoundary, RunScanner.canBegin(line[index]), let run = HexadecimalRun(line, at: index, shortBytes: shortBytes)
      {
        runs.append(run)
        index = run.range.upperBound
      } else {
        index += 1
      }
    }
    return runs
  }
}

/// Reads bytes from a place on.
private struct RunScanner {
  let line: [UInt8]
  var index: Int
  private(set) var isMarked = false
  private var closer: UInt8?
  /// Where the bytes of one or two digits begin with which the line ends.
  private let shortBytes: Int

  init(line: [UInt8], index: Int, shortBytes: Int) {
    (self.line, self.index, self.shortBytes) = (line, index, shortBytes)
  }

  /// Whether a digit, a bracket, a quote or a prefix may begin bytes.
  static func canBegin(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x22, 0x27, 0x28, 0x3C, 0x5B, 0x5C, 0x62, 0x7B: true
    default: octet.hexadecimalDigit != nil
    }
  }

  /// Where the bytes of one or two digits begin with which a line ends; the end of the line without any.
  static func startOfShortBytes(_ line: [UInt8]) -> Int {
    var (start, digitCount) = (line.count, 0)
    for index in line.indices.reversed() {
      if line[index] == 0x20 {
        (start, digitCount) = (index + 1, 0)
      } else if line[index].hexadecimalDigit != nil, digitCount < 2 {
        digitCount += 1
      } else {
        return start
      }
    }
    return 0
  }

  private static let closers: [UInt8: UInt8] = [
    UInt8(ascii: "["): UInt8(ascii: "]"), UInt8(ascii: "{"): UInt8(ascii: "}"), UInt8(ascii: "<"): UInt8(ascii: ">"),
  ]

  mutating func octets() -> [UInt8]? {
    if let text = QuotedBytes(line, at: index) {
      (index, isMarked) = (text.end, true)
      return text.octets
    }
    open()
    if closer != nil, let numbers = decimals() { return close(numbers) }
    guard var octets = element() else { return nil }
    var separator: [UInt8]?
    while let next = separatorEnd(), separator == nil || line[index..<next].elementsEqual(separator ?? []) {
      let before = index
      let isNarrow = [0x3A, 0x2D, 0x2E].contains(line[before..<next].first ?? 0)
      index = next
      guard let more = element(), !isNarrow || more.count == 1 && octets.count == 1 || separator != nil else {
        index = before
        break
      }
      separator = separator ?? Array(line[before..<next])
      octets += more
    }
    return close(octets)
  }

  private mutating func close(_ octets: [UInt8]) -> [UInt8]? {
    guard let closer else { return octets }
    var end = index
    while end < line.count, line[end] == 0x20 || line[end] == 0x2C { end += 1 }
    guard end < line.count, line[end] == closer else { return nil }
    index = end + 1
    return octets
  }

  private mutating func open() {
    guard index < line.count, let closing = Self.closers[line[index]] else { return }
    let isAngle = closing == UInt8(ascii: ">")
    var next = index + 1
    let buffer = Array("Buffer ".utf8)
    if isAngle, line[next...].starts(with: buffer) { next += buffer.count }
    while !isAngle, next < line.count, line[next] == 0x20 { next += 1 }
    (closer, index, isMarked) = (closing, next, true)
  }

  /// Decimal numbers up to the closing bracket, of which at least one cannot be two hexadecimal digits.
  private mutating func decimals() -> [UInt8]? {
    guard closer == UInt8(ascii: "]") || closer == UInt8(ascii: "}") else { return nil }
    let end = line[index...].prefix { $0.isDigit || $0 == 0x20 || $0 == 0x2C || $0 == 0x2D }.endIndex
    guard end < line.count, line[end] == closer else { return nil }
    let words = line[index..<end].split(separator: 0x2C).map { $0.filter { $0 != 0x20 } }
    guard words.count > 1, words.contains(where: { $0.count != 2 }) else { return nil }
    var octets: [UInt8] = []
    for word in words {
      guard word.count <= 4, let value = Int(String(decoding: word, as: UTF8.self)), (-128...255).contains(value) else {
        return nil
      }
      octets.append(UInt8(truncatingIfNeeded: value))
    }
    index = end
    return octets
  }

  /// The digits of one byte, or of several without a separator.
  private mutating func element() -> [UInt8]? {
    let start = index
    var next = index
    let cast = Array("(byte)".utf8)
    if line[next...].starts(with: cast) {
      next += cast.count
      while next < line.count, line[next] == 0x20 { next += 1 }
    }
    let quote = next < line.count && (line[next] == 0x22 || line[next] == 0x27) ? line[next] : nil
    if quote != nil { next += 1 }
    var hasPrefix = false
    if next + 2 < line.count, line[next] == 0x30 || line[next] == 0x5C, line[next + 1] | 0x20 == 0x78 {
      next += 2
      hasPrefix = true
    }
    var digits: [UInt8] = []
    while next < line.count, let digit = line[next].hexadecimalDigit {
      digits.append(digit)
      next += 1
    }
    let isSingle =
      digits.count == 1 && (hasPrefix || quote != nil || closer == UInt8(ascii: "]") || isEndOfShortBytes(start))
    guard !digits.isEmpty, isSingle || digits.count.isMultiple(of: 2) else { return nil }
    if digits.count == 2, next < line.count, line[next] | 0x20 == 0x68 { next += 1 }
    if let quote {
      // Blanks may stand between bytes in quotes.
      while next < line.count, line[next] == 0x20 {
        while next < line.count, line[next] == 0x20 { next += 1 }
        while next + 1 < line.count, let high = line[next].hexadecimalDigit, let low = line[next + 1].hexadecimalDigit {
          digits += [high, low]
          next += 2
        }
      }
      guard next < line.count, line[next] == quote else { return nil }
      next += 1
    }
    guard next == line.count || !line[next].isWordPart || line[next] == 0x5C else {
      index = start
      return nil
    }
    if hasPrefix || quote != nil || next - start > digits.count { isMarked = true }
    index = next
    if isSingle { return digits }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Whether nothing but bytes of one or two digits with blanks between them follow others: some programs leave zeros out.
  private func isEndOfShortBytes(_ start: Int) -> Bool {
    guard start >= 3, line[start - 1] == 0x20, line[start - 2].hexadecimalDigit != nil else { return false }
    return start >= shortBytes
  }

  /// Where the separator ends that begins here; nil when nothing of the run can follow.
  private func separatorEnd() -> Int? {
    guard index < line.count else { return nil }
    var next = index
    if line[next] == 0x5C { return next }
    if [0x2C, 0x3A, 0x2D, 0x2E].contains(line[next]) { next += 1 }
    while next < line.count, line[next] == 0x20, next - index < 3 { next += 1 }
    return next > index && next - index <= 2 && next < line.count ? next : nil
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; nil for any other character.
  var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self &- 0x30
    case 0x41...0x46: self &- 0x37
    case 0x61...0x66: self &- 0x57
    default: nil
    }
  }

  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isLetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
  /// Whether a word goes on with this byte.
  var isWordPart: Bool { isDigit || isLetter || self == 0x5F || self >= 0x80 }
}
