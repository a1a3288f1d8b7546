import AccessMessages
import Testing

@Suite("Names of new accounts")
struct NewAccountNameTests {
  /// The characters with the property Bidi_Control (Unicode Standard Annex 9).
  static let directions: [Unicode.Scalar] =
    ["\u{61C}", "\u{200E}", "\u{200F}"]
    + [0x202A...0x202E, 0x2066...0x2069].flatMap { $0.compactMap { Unicode.Scalar($0 as UInt32) } }

  @Test(arguments: directions)
  func `a name with a bidirectional control character is refused, which the message names`(_ direction: Unicode.Scalar)
    throws
  {
    for name in ["\(direction)ada", "a\(direction)da", "ada\(direction)", "\(direction)"] {
      let refusal = try #require(throws: NewAccountName.Refusal.self) { try NewAccountName(name) }
      #expect(refusal.character == direction)
      #expect(refusal.description.hasSuffix("remove U+\(direction.value < 0x1000 ? "0" : "")\(direction.hex)"))
    }
  }

  /// Persian and Hindi words that need them, and an emoji that is joined of three.
  @Test(arguments: ["می\u{200C}خواهم", "क्\u{200D}ष", "क्\u{200C}ष", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}"])
  func `a name keeps joiners and non-joiners within a word`(_ name: String) throws {
    #expect(try Array(NewAccountName(name).text.utf8) == Array(name.utf8))
  }
}

extension Unicode.Scalar {
  fileprivate var hex: String { String(value, radix: 16, uppercase: true) }
}
