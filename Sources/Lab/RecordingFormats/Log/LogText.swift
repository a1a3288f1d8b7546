internal import Transcripts

/// The lines of a text as a person pasted it.
enum LogText {
  /// Returns the lines without the escape sequences that colour them and without the margin of a quotation. A line that was
  /// wrapped inside a byte is whole, and the lines that were joined to it are empty.
  ///
  /// - Throws: `TranscriptError` for a line that is too long and for too many lines.
  static func lines(of octets: [UInt8]) throws(TranscriptError) -> [String] {
    var lines: [String] = []
    for octets in String(decoding: octets, as: UTF8.self).utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    {
      let number = lines.count + 1
      guard number <= Transcript.maximumLineCount else {
        throw TranscriptError(.tooManyLines(limit: Transcript.maximumLineCount), line: number)
      }
      guard octets.count <= Transcript.maximumLineLength else {
        throw TranscriptError(
          .lineTooLong(count: octets.count, limit: Transcript.maximumLineLength), line: number)
      }
      // A byte order mark at the start of the text is not part of the line.
      let line = Substring(octets)
      let hasMark = number == 1 && line.unicodeScalars.first == "\u{FEFF}"
      let text = String(hasMark ? Substring(line.unicodeScalars.dropFirst()) : line)
      lines.append(text.withoutEscapeSequences.withPlainCharacters)
    }
    return HardWraps.joined(withoutMargin(lines))
  }

  /// How many quotations inside each other are removed.
  private static let maximumMarginCount = 8

  /// Removes `> ` or `| ` where each line has it.
  static func withoutMargin(_ lines: [String]) -> [String] {
    var lines = lines
    for _ in 0..<maximumMarginCount {
      guard let margin = margin(lines) else { break }
      lines = lines.map { line in
        guard let place = line.utf8.firstIndex(of: margin) else { return line }
        let rest = line.utf8[line.utf8.index(after: place)...]
        return String(Substring(rest.first == 0x20 ? rest.dropFirst() : rest))
      }
    }
    return lines
  }

  /// The sign that begins each line that is not blank; nil without one.
  private static func margin(_ lines: [String]) -> UInt8? {
    var margin: UInt8?
    var count = 0
    for line in lines {
      guard let first = line.utf8.first(where: { $0 > 0x20 }) else { continue }
      guard [UInt8(ascii: ">"), UInt8(ascii: "|")].contains(first), margin == nil || margin == first else { return nil }
      // Signs of two characters are directions.
      let rest = line.utf8.drop { $0 <= 0x20 }.dropFirst().first ?? 0x20
      guard rest == 0x20 || rest == first && count > 0 || rest == first else { return nil }
      (margin, count) = (first, count + 1)
    }
    return count > 1 ? margin : nil
  }
}

extension String {
  /// The text without the escape sequences that colour it on a terminal: ESC, `[`, up to a letter.
  var withoutEscapeSequences: String {
    guard utf8.contains(0x1B) else { return self }
    var kept: [UInt8] = []
    var isInside = false
    for octet in utf8 {
      if octet == 0x1B {
        isInside = true
      } else if !isInside {
        kept.append(octet)
      } else if (0x41...0x5A).contains(octet & 0xDF), octet != 0x5B {
        isInside = false
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }
}
