/// Text for a terminal of limited width.
public enum FittedText {
  /// Breaks the lines that are wider than a terminal: between words, and long hexadecimal digits between bytes.
  ///
  /// The rest of a line stands below its last column, or is indented by two more. A command line is broken with
  /// backslashes, so that it can be copied. A word that is wider than the terminal stays whole.
  ///
  /// - Parameters:
  ///   - text: One or more lines.
  ///   - width: The number of columns; nil leaves the text as it is.
  public static func lines(_ text: String, width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      line.columnCount <= width ? [String(line)] : broken(line, width)
    }.joined(separator: "\n")
  }

  private static func broken(_ line: Substring, _ width: Int) -> [String] {
    guard let command = commandLine(in: line) else { return filled(line, width) }
    let title = line[..<command.startIndex]
    if title.allSatisfy({ $0 == " " }) { return filledCommand(command, indent: title.count, width) }
    // Lines of the command alone can be copied.
    let head = title.hasSuffix(" ") ? title.dropLast() : title
    return filled(head, width) + filledCommand(command, indent: 2, width)
  }

  private static func filled(_ line: Substring, _ width: Int) -> [String] {
    var filling = Filling(width: width, indent: hangingIndent(of: line, width))
    for (gap, word) in words(of: line) { filling.add(word, after: gap) }
    return filling.end()
  }

  private static func filledCommand(_ command: Substring, indent: Int, _ width: Int) -> [String] {
    if indent + command.columnCount <= width { return [String(repeating: " ", count: indent) + command] }
    var filling = Filling(width: width - 2, indent: indent + 2)
    for (index, (gap, word)) in words(of: command, keepsQuotations: true).enumerated() {
      filling.add(word, after: index == 0 ? indent : gap, isWhole: true)
    }
    let lines = filling.end()
    return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
  }

  /// The words with the number of spaces before each.
  private static func words(of line: Substring, keepsQuotations: Bool = false) -> [(gap: Int, word: Substring)] {
    var (found, rest) = ([(Int, Substring)](), line)
    while !rest.isEmpty {
      let word = rest.drop { $0 == " " }
      if word.isEmpty { break }
      var isQuoted = false
      let end = word.firstIndex { character in
        if keepsQuotations, character == "\"" || character == "'" { isQuoted.toggle() }
        return character == " " && !isQuoted
      }
      found.append((rest.count - word.count, word[..<(end ?? word.endIndex)]))
      rest = end.map { word[$0...] } ?? ""
    }
    return found
  }

  /// Where the further lines begin: below the last column of a table in the left part of the line, else two columns
  /// further.
  private static func hangingIndent(of line: Substring, _ width: Int) -> Int {
    let limit = max(width - 30, width / 4)
    let words = words(of: line)
    var column = 0
    var hanging = (words.first?.gap ?? 0) + 2
    for (index, (gap, word)) in words.enumerated() {
      column += gap
      if index > 0, gap >= 2, column <= limit { hanging = column }
      column += word.columnCount
    }
    return min(hanging, max(width / 2, width - 30))
  }

  /// A command line of these programs with an option, at the beginning of a line or after a colon.
  private static func commandLine(in line: Substring) -> Substring? {
    // A synopsis is for reading.
    if line.hasPrefix("USAGE: ") || line.hasPrefix("Usage: ") { return nil }
    let pattern = /(?:^ *|: )((?:[A-Z_]+=\S+ )*tap(?:-wallet|-server|-device)? [a-z]+ .*--.*)$/
    // Behind two spaces is the next column of a table.
    guard let command = line.firstMatch(of: pattern)?.1, !command.contains("  ") else { return nil }
    return command
  }
}

/// Lines that are filled with words.
private struct Filling {
  let width: Int
  let indent: Int
  private var lines: [String] = []
  private var line = ""
  private var column = 0
  private var hasWord = false

  init(width: Int, indent: Int) { (self.width, self.indent) = (width, indent) }

  /// Adds a word.
  ///
  /// - Parameters:
  ///   - gap: The number of spaces before it, unless it begins a further line.
  ///   - isWhole: Whether hexadecimal digits are not broken either.
  mutating func add(_ word: Substring, after gap: Int, isWhole: Bool = false) {
    let count = word.columnCount
    if column + gap + count <= width { return append(word, count, after: gap) }
    if !isWhole, count > width - indent, word.isHexadecimal { return addOctets(word, after: gap) }
    if hasWord { beginLine(for: count) } else { append("", 0, after: gap) }
    append(word, count, after: 0)
  }

  /// Adds bytes, as many to a line as it has room for.
  private mutating func addOctets(_ word: Substring, after gap: Int) {
    // A few bytes at the end of a line of text would be hard to read.
    if hasWord, column > indent, width - column - gap < 16 { beginLine(for: 0) } else { append("", 0, after: gap) }
    var rest = word
    while !rest.isEmpty {
      let part = rest.prefix(max((width - column) / 2 * 2, 2))
      append(part, part.count, after: 0)
      rest = rest.dropFirst(part.count)
      if !rest.isEmpty { beginLine(for: 0) }
    }
  }

  private mutating func append(_ word: Substring, _ count: Int, after gap: Int) {
    line += String(repeating: " ", count: gap) + word
    column += gap + count
    hasWord = hasWord || count > 0
  }

  /// Begins a line, with less indentation for a word that would not fit otherwise.
  private mutating func beginLine(for count: Int) {
    lines.append(line)
    column = min(indent, max(width - count, 0))
    line = String(repeating: " ", count: column)
    hasWord = false
  }

  consuming func end() -> [String] { lines + [line] }
}

extension Substring {
  /// Whether the word is whole bytes in hexadecimal digits.
  fileprivate var isHexadecimal: Bool { utf8.count.isMultiple(of: 2) && allSatisfy(\.isHexDigit) }
}
