/// Bytes in words, within limits: a response of 65 538 bytes has a line for each of its data objects.
enum DecodedLines {
  /// The largest number of lines of one exchange. What is beyond is left out, and counted.
  private static let lineLimit = 300
  /// The longest line in characters.
  private static let characterLimit = 4_096

  /// The lines within the limits.
  static func shown(_ lines: [String]) -> [String] {
    let shown = lines.prefix(lineLimit).map { line in
      line.count > characterLimit
        ? "\(line.prefix(characterLimit)) … (\(line.count - characterLimit) characters more)" : line
    }
    return lines.count > lineLimit ? shown + ["… (\(lines.count - lineLimit) lines more)"] : shown
  }

  /// The lines within the limits as one text.
  static func text(of lines: [String]) -> String { shown(lines).joined(separator: "\n") }
}
