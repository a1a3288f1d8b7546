import DisplayText
import Testing

@Suite struct FittedTextTests {
  private static let longHex = String(repeating: "00A40400", count: 30)

  /// A text, a width, and its lines.
  static let cases: [(text: String, width: Int, lines: [String])] = [
    ("one two three", 13, ["one two three"]),
    ("one two three", 12, ["one two", "  three"]),
    ("one two three four", 9, ["one two", "  three", "  four"]),
    ("  indented words go on below", 20, ["  indented words go", "    on below"]),
    ("", 40, [""]),
    ("a first line\nand a second one", 12, ["a first line", "and a second", "  one"]),
    (
      "1  SELECT  9000  the card opens the application and asks", 50,
      [
        "1  SELECT  9000  the card opens the application", "                 and asks",
      ]
    ),
    ("a averylongwordthatfitsnowhere b", 10, ["a", "averylongwordthatfitsnowhere", "  b"]),
    ("0011223344556677", 6, ["001122", "  3344", "  5566", "  77"]),
    ("   > 00A40400112233445566", 13, ["   > 00A40400", "     11223344", "     5566"]),
    ("\u{1B}[1;31mred\u{1B}[0m words", 9, ["\u{1B}[1;31mred\u{1B}[0m words"]),
    ("\u{1B}[1;31mred\u{1B}[0m words", 8, ["\u{1B}[1;31mred\u{1B}[0m", "  words"]),
    ("漢字 漢字", 8, ["漢字", "  漢字"]),
    (
      "  tap accept --reader loopback:card.json --amount 12.34", 44,
      [
        "  tap accept --reader loopback:card.json \\", "    --amount 12.34",
      ]
    ),
    (
      "Be the terminal: A=b tap accept --reader \"pcsc:A B\"", 40,
      [
        "Be the terminal:", "  A=b tap accept --reader \"pcsc:A B\"",
      ]
    ),
    (
      "USAGE: tap accept [--terminal <file>] --amount <amount>", 40,
      [
        "USAGE: tap accept [--terminal <file>]", "  --amount <amount>",
      ]
    ),
    ("  tap demo --verbose   the bytes in words", 40, ["  tap demo --verbose   the bytes in", "    words"]),
    ("see phone: tap again when the phone shows it", 30, ["see phone: tap again when the", "  phone shows it"]),
  ]

  @Test(arguments: cases)
  func `lines are broken between words and between bytes`(_ text: String, _ width: Int, _ lines: [String]) {
    #expect(
      FittedText.lines(text, width: width).split(separator: "\n", omittingEmptySubsequences: false)
        == lines.map { $0[...] })
    #expect(FittedText.lines(text, width: nil) == text)
  }

  @Test(arguments: 40...100)
  func `no line is wider than the terminal, and words and bytes stay whole`(width: Int) {
    let text =
      "1. SELECT  9000  meaning of it\n   < \(Self.longHex)\n" + String(repeating: "     word and others ", count: 9)
    let fitted = FittedText.lines(text, width: width)
    let lines = fitted.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width })
    let words = fitted.split(whereSeparator: \.isWhitespace)
    #expect(words.filter { $0.allSatisfy(\.isHexDigit) }.allSatisfy { $0.count.isMultiple(of: 2) })
    #expect(words.joined() == text.filter { !$0.isWhitespace })
    #expect(
      words.filter { !$0.allSatisfy(\.isHexDigit) }
        == text.split(whereSeparator: \.isWhitespace).filter { !$0.allSatisfy(\.isHexDigit) })
  }
}

@Suite struct TextTableTests {
  private static let table = TextTable(
    [["ns", "count", "p50"], ["SELECT PPSE", "10000", "451"], ["READ RECORD", "20000", "1531"]], numbersAlign: .right)

  @Test func `columns are aligned, and move together in a narrow terminal`() {
    #expect(
      Self.table.lines() == ["ns           count   p50", "SELECT PPSE  10000   451", "READ RECORD  20000  1531"])
    #expect(Self.table.lines(width: 24) == Self.table.lines())
    #expect(
      Self.table.lines(width: 23) == ["ns          count  p50", "SELECT PPSE 10000  451", "READ RECORD 20000 1531"])
  }

  @Test func `where columns do not fit, the first cell has a line of its own`() {
    #expect(
      Self.table.lines(width: 21) == [
        "ns", "  count  p50", "SELECT PPSE", "  10000  451", "READ RECORD", "  20000 1531",
      ])
    #expect(Self.table.rowLines(width: 11)[1] == ["SELECT PPSE", "  10000", "   451"])
  }

  @Test func `a table without rows has no line`() { #expect(TextTable([]).lines(width: 40).isEmpty) }
}

@Suite struct TerminalWidthTests {
  @Test func `a descriptor without a terminal has no width`() { #expect(TerminalWidth.columns(at: -1) == nil) }
}
