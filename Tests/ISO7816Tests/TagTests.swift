import ISO7816
import Testing

@Suite("Tags and application identifiers")
struct TagTests {
  static let tags: [(ISO7816.Tag, String, Bool, Bool)] = [
    // Tag, bytes, constructed, well formed.
    (0x5A, "5A", false, true), (0x6F, "6F", true, true), (0x9F38, "9F38", false, true), (0xBF0C, "BF0C", true, true),
    (0x5F2D, "5F2D", false, true), (0xDF8104, "DF8104", false, true), (0xFF8105, "FF8105", true, true),
    (0x80, "80", false, true), (0x1F00, "1F00", false, true),
    // Bytes follow although the first has no such mark; no byte follows although it has; the last has the mark of
    // another.
    (0x5A01, "5A01", false, false), (0x9F, "9F", false, false), (0x1F, "1F", false, false),
    (0x9F81, "9F81", false, false), (0x9F0101, "9F0101", false, false), (0xDF8181, "DF8181", false, false),
    (0x9F818101, "9F818101", false, false), (0x00, "00", false, false),
  ]

  @Test(arguments: tags)
  func `a tag has the bytes and properties of its raw value`(
    _ tag: ISO7816.Tag, _ hex: String, _ isConstructed: Bool, _ isWellFormed: Bool
  ) {
    #expect(tag.description == hex)
    #expect(tag.encoded.count == tag.octetCount)
    #expect(tag.octetCount == hex.count / 2)
    #expect(tag.isConstructed == isConstructed)
    #expect(tag.isWellFormed == isWellFormed)
  }

  @Test func `the reader accepts exactly the well-formed tags of up to two bytes`() {
    for raw in UInt32(1)...0xFFFF where raw >> 8 != 0xFF && raw != 0xFF {
      let tag = ISO7816.Tag(rawValue: raw)
      let input = tag.encoded + [0x00]
      // Apart from padding, a data object of length zero is read exactly when the tag is well-formed.
      guard tag.encoded[0] != 0 else { continue }
      let nodes = try? [TLVNode](parsing: input.span, rules: .strict)
      let isReadAsWritten = nodes?.count == 1 && nodes?.first?.tag == tag
      if isReadAsWritten != tag.isWellFormed {
        Issue.record("\(tag): read \(isReadAsWritten), well formed \(tag.isWellFormed)")
        return
      }
    }
  }

  @Test func `tags order by their bytes`() {
    #expect(([0x9F38, 0x5A, 0x82] as [ISO7816.Tag]).sorted() == [0x5A, 0x82, 0x9F38])
  }

  @Test(arguments: 0...18)
  func `an AID has 5 to 16 bytes`(_ count: Int) {
    let octets = [UInt8](repeating: 0xA0, count: count)
    #expect((AID(octets) != nil) == (5...16).contains(count))
  }

  @Test func `an AID starts with its registered provider, and a partial name is a prefix`() throws {
    let visa = try #require(AID([0xA0, 0, 0, 0, 3]))
    let credit = try #require(AID([0xA0, 0, 0, 0, 3, 0x10, 0x10]))
    let mastercard = try #require(AID([0xA0, 0, 0, 0, 4, 0x10, 0x10]))
    #expect(credit.rid == visa.octets)
    #expect(visa.isPrefix(of: credit))
    #expect(credit.isPrefix(of: credit))
    #expect(!credit.isPrefix(of: visa))
    #expect(!visa.isPrefix(of: mastercard))
    #expect(credit.description == "A0000000031010")
  }
}
