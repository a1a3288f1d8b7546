/// The clock of a log: the time of day with fractions of a second, or the microseconds since the line before, as pcscd
/// writes them.
struct LogClock {
  /// Nanoseconds at the last line that has a time; nil before the first one.
  private(set) var instant: Int64?
  private var microseconds: Int64 = 0

  /// Reads the time of a line, if it has one.
  mutating func read(_ line: [UInt8]) {
    let text = line.prefix(160)
    if let step = Self.step(text) {
      microseconds += step
      instant = microseconds * 1000
    } else if let time = Self.timeOfDay(text) {
      instant = time
    }
  }

  /// Eight digits at the beginning of a line, or after the name of the program that the journal puts there.
  private static func step(_ text: ArraySlice<UInt8>) -> Int64? {
    var start = text.drop { $0 <= 0x20 || $0 == 0x3E || $0 == 0x7C }
    if let name = text.firstRange(of: Array("]: ".utf8)) { start = text[name.upperBound...] }
    let digits = start.prefix(while: \.isDigit)
    guard digits.count == 8, start.dropFirst(8).first == 0x20 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
  }

  /// `18:22:40.118` with three to nine digits after the point.
  private static func timeOfDay(_ text: ArraySlice<UInt8>) -> Int64? {
    var index = text.startIndex
    while index + 12 <= text.endIndex {
      let part = text[index..<(index + 9)]
      let marks = [part[index + 2], part[index + 5], part[index + 8]]
      let digits = [0, 1, 3, 4, 6, 7].map { part[index + $0] }
      if marks == [0x3A, 0x3A, 0x2E] || marks == [0x3A, 0x3A, 0x2C], digits.allSatisfy(\.isDigit) {
        let fraction = text[(index + 9)...].prefix(while: \.isDigit).prefix(9)
        guard fraction.count >= 3 else { return nil }
        let values = digits.map { Int64($0 & 0x0F) }
        let seconds =
          (values[0] * 10 + values[1]) * 3600 + (values[2] * 10 + values[3]) * 60 + values[4] * 10 + values[5]
        let nanoseconds = (fraction + [UInt8](repeating: 0x30, count: 9 - fraction.count))
          .reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
        return seconds * 1_000_000_000 + nanoseconds
      }
      index += 1
    }
    return nil
  }
}
