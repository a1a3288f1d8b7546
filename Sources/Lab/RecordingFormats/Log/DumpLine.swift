/// A line with nothing but bytes, as a hexadecimal dump has it: an offset may stand before them, and their characters after
/// them.
struct DumpLine {
  /// The bytes.
  let octets: [UInt8]
  /// Whether the meaning of the status word stands after the bytes, which ends a response.
  let isLast: Bool

  /// Reads a line; nil for one with anything else.
  init?(_ line: ArraySlice<UInt8>) {
    let text = Array(line)
    guard let (octets, isLast) = Self.parts(text) else { return nil }
    (self.octets, self.isLast) = (octets, isLast)
  }

  private static func parts(_ text: [UInt8]) -> (octets: [UInt8], isLast: Bool)? {
    var start = 0
    // An offset of four or more digits, then a colon or two blanks.
    let offset = text.prefix { $0.hexadecimalDigit != nil }.count
    if offset >= 4 {
      let rest = text[offset...]
      if rest.first == 0x3A { start = offset + 1 }
      if rest.starts(with: [0x20, 0x20]) { start = offset + 2 }
      while start < text.count, start > 0, text[start] == 0x20 { start += 1 }
    }
    guard let run = HexadecimalRun(text, at: start), !run.isMarked || run.octets.count > 1 else { return nil }
    if let octets = row(run, text, start) { return (octets, false) }
    let rest = text[run.range.upperBound...]
    if rest.allSatisfy({ $0 <= 0x20 }) { return (run.octets, false) }
    if isMeaning(rest) { return (run.octets, true) }
    // Sixteen bytes with a gap in the middle.
    if run.octets.count == 8, rest.starts(with: [0x20, 0x20]),
      let second = HexadecimalRun(text, at: run.range.upperBound + 2), second.octets.count <= 8,
      isText(characters(text[second.range.upperBound...]), of: run.octets + second.octets)
    {
      return (run.octets + second.octets, false)
    }
    let shown = characters(rest)
    // Characters after a single blank are as many as the bytes, and must be those bytes.
    let gap = rest.prefix { $0 <= 0x20 || $0 == 0x7C }.count
    return gap >= 1 && isText(shown, of: run.octets) ? (run.octets, false) : nil
  }

  /// Sixteen bytes and their characters, which may look like further bytes; nil for another line.
  private static func row(_ run: HexadecimalRun, _ text: [UInt8], _ start: Int) -> [UInt8]? {
    let end = start + 16 * 3 - 1
    guard run.octets.count >= 16, end < text.count, text[start + 2] == 0x20 else { return nil }
    let shown = characters(text[end...])
    let octets = Array(run.octets.prefix(16))
    return !shown.isEmpty && isText(shown, of: octets) ? octets : nil
  }

  /// The characters after the bytes, without the bars around them.
  private static func characters(_ rest: ArraySlice<UInt8>) -> [UInt8] {
    var shown = rest.drop { $0 <= 0x20 || $0 == 0x7C }
    while let last = shown.last, last <= 0x20 || last == 0x7C { shown = shown.dropLast() }
    return Array(shown)
  }

  /// A colon with the meaning of the status word.
  private static func isMeaning(_ rest: ArraySlice<UInt8>) -> Bool { rest.drop { $0 <= 0x20 }.first == 0x3A }

  /// Whether characters show bytes: those that can be printed as they are, others as dots. Blanks and bars at the ends may
  /// be missing.
  private static func isText(_ shown: [UInt8], of octets: [UInt8]) -> Bool {
    let all = octets.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }
    var expected = all.drop { $0 == 0x20 || $0 == 0x7C }
    while let last = expected.last, last == 0x20 || last == 0x7C { expected = expected.dropLast() }
    return shown.count == expected.count && zip(shown, expected).allSatisfy { $0 == $1 || $0 == 0x2E || $0 == 0x3F }
  }
}
