import DisplayText
import Testing

/// A command line without a shell: split as a shell splits it, or refused.
@Suite("The words of a command line")
struct CommandWordsTests {
  static let rows: [(line: String, words: [String])] = [
    ("python3 card.py", ["python3", "card.py"]), ("  a \t b\n", ["a", "b"]), ("'a b' \"c d\"e", ["a b", "c de"]),
    (#"a\ b"#, ["a b"]), (#""a\"b\\c\d""#, [#"a"b\c\d"#]), ("a '' \"\"", ["a", "", ""]), (#"'\'"#, [#"\"#]),
    ("a\\\nb", ["ab"]), ("sh -c 'a | b > $c'", ["sh", "-c", "a | b > $c"]), ("a~b c#d", ["a~b", "c#d"]),
    ("é '日 本'", ["é", "日 本"]), (#"a "b\$c""#, ["a", "b$c"]),
  ]

  @Test(arguments: rows) func `quotes and backslashes are those of a shell`(_ line: String, _ words: [String]) throws {
    #expect(try CommandWords(line).words == words)
  }

  static let refused: [(line: String, reason: CommandWordsError)] = [
    ("", .noProgram), ("  ", .noProgram), ("''", .noProgram), ("a 'b", .openQuote("'")), ("a \"b", .openQuote("\"")),
    ("\"a\\", .openQuote("\"")), ("a \\", .endsInBackslash), ("a | b", .needsShell("|")), ("a > b", .needsShell(">")),
    ("a $HOME", .needsShell("$")), ("a \"$HOME\"", .needsShell("$")), ("a `b`", .needsShell("`")),
    ("~/a", .needsShell("~")), ("a *.py", .needsShell("*")), ("a; b", .needsShell(";")), ("a #b", .needsShell("#")),
    ("a&", .needsShell("&")), ("(a)", .needsShell("(")),
  ]

  @Test(arguments: refused) func `a line that needs a shell is refused`(_ line: String, _ reason: CommandWordsError) {
    #expect(throws: reason) { try CommandWords(line) }
  }
}
