import Octets
import Testing

@Suite("Visible text")
struct VisibleTextTests {
  static let texts: [(text: String, visible: String)] = [
    ("", ""), ("Visa Débito 日本 ✓", "Visa Débito 日本 ✓"), ("a\u{1B}[2Jb", #"a\u{1B}[2Jb"#),
    ("a\nb\r\tc", #"a\u{A}b\u{D}\u{9}c"#),
    ("\u{9B}2J\u{7F}\u{85}", #"\u{9B}2J\u{7F}\u{85}"#), ("\u{202E}evil\u{2066}", #"\u{202E}evil\u{2066}"#),
    ("\u{61C}\u{200E}\u{200F}", #"\u{61C}\u{200E}\u{200F}"#),
    ("\u{202A}\u{202B}\u{202C}\u{202D}", #"\u{202A}\u{202B}\u{202C}\u{202D}"#),
    ("\u{2067}\u{2068}\u{2069}", #"\u{2067}\u{2068}\u{2069}"#),
    ("a\u{200B}b\u{FEFF}\u{AD}\u{2028}", #"a\u{200B}b\u{FEFF}\u{AD}\u{2028}"#),
    ("\u{E0041}\u{3164}", #"\u{E0041}\u{3164}"#),
    ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"), ("\0", #"\u{0}"#),
  ]

  @Test(arguments: texts)
  func `characters that control a terminal or are not visible become escapes`(_ text: String, _ visible: String) {
    #expect(text.visible() == visible)
    #expect(visible.visible() == visible)
  }

  @Test func `the characters that the caller names stay`() {
    #expect("a\tb\nc\u{1B}".visible(keeping: "\t\n") == "a\tb\nc\\u{1B}")
  }

  @Test func `JSON has escapes of its own`() {
    #expect(
      "{\"a\":\"\u{9B}2J\u{202E}\u{E0041}\u{1F600}\"}".visibleJSON == #"{"a":"\u009B2J\u202E\uDB40\uDC41"#
        + "\u{1F600}\"}")
  }
}
