import ISO7816
import Octets
import Testing

@Suite("Reading BER-TLV")
struct TLVReaderTests {
  static let readable: [(String, [TLVNode])] = [
    ("", []),
    ("9F3602002D", [TLVNode(0x9F36, [0x00, 0x2D])]),
    ("5A00", [TLVNode(0x5A, [] as [UInt8])]),
    ("7000", [TLVNode(0x70, [] as [TLVNode])]),
    ("DF810C0102", [TLVNode(0xDF810C, [0x02])]),
    ("6F0484025A5A", [TLVNode(0x6F, [TLVNode(0x84, [0x5A, 0x5A])])]),
    (
      "6F0AA508BF0C0561034F01AA",
      [TLVNode(0x6F, [TLVNode(0xA5, [TLVNode(0xBF0C, [TLVNode(0x61, [TLVNode(0x4F, [0xAA])])])])])]
    ),
    // Padding before, between and after.
    ("00FF5A0101000057010200", [TLVNode(0x5A, [1]), TLVNode(0x57, [2])]),
    ("700500005A01FF", [TLVNode(0x70, [TLVNode(0x5A, [0xFF])])]),
    ("00", []), ("FFFFFF", []),
    // Lengths in more bytes than they need.
    ("5A810101", [TLVNode(0x5A, [1])]), ("5A8200020102", [TLVNode(0x5A, [1, 2])]),
    ("5A8300000101", [TLVNode(0x5A, [1])]), ("5A840000000101", [TLVNode(0x5A, [1])]),
    // A value may look like a data object.
    ("5A04FF00806F", [TLVNode(0x5A, [0xFF, 0x00, 0x80, 0x6F])]),
  ]

  @Test(arguments: readable)
  func `the encodings that a terminal accepts are read with their nesting`(_ hex: String, _ nodes: [TLVNode]) throws {
    #expect(try [TLVNode](hex: hex) == nodes)
  }

  static let broken: [(String, TLVError)] = [
    ("1F", TLVError(.truncatedTag, at: 0)), ("5A00 9F", TLVError(.truncatedTag, at: 2)),
    ("DF81", TLVError(.truncatedTag, at: 0)), ("7003 5A009F", TLVError(.truncatedTag, at: 4)),
    ("DF818101", TLVError(.tagTooLong(limit: 3), at: 0)), ("00 DF8181 01", TLVError(.tagTooLong(limit: 3), at: 1)),
    ("5A", TLVError(.truncatedLength, at: 1)), ("9F36", TLVError(.truncatedLength, at: 2)),
    ("5A81", TLVError(.truncatedLength, at: 1)), ("5A84010203", TLVError(.truncatedLength, at: 1)),
    ("5A80", TLVError(.indefiniteLength, at: 1)), ("7080 5A00 0000", TLVError(.indefiniteLength, at: 1)),
    ("5A85 0000000001 01", TLVError(.lengthTooLong(octets: 5, limit: 4), at: 1)),
    ("5AFF", TLVError(.lengthTooLong(octets: 127, limit: 4), at: 1)),
    ("5A01", TLVError(.valueTooLong(stated: 1, available: 0), at: 1)),
    ("5A0201", TLVError(.valueTooLong(stated: 2, available: 1), at: 1)),
    ("5A84FFFFFFFF 01", TLVError(.valueTooLong(stated: 4_294_967_295, available: 1), at: 1)),
    ("9F3681FF 01", TLVError(.valueTooLong(stated: 255, available: 1), at: 2)),
    // A data object longer than its template, although the input continues.
    ("7003 5A0201 02", TLVError(.valueTooLong(stated: 2, available: 1), at: 3)),
    ("6F08 A506 BF0C03 61024F", TLVError(.valueTooLong(stated: 2, available: 1), at: 8)),
  ]

  @Test(arguments: broken)
  func `malformed input is an error at its offset in the whole input`(_ hex: String, _ expected: TLVError) throws {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try [TLVNode](parsing: octets.span) }
  }

  static let strictOnly: [(String, TLVError)] = [
    ("00", TLVError(.padding(0x00), at: 0)), ("5A0101 FF", TLVError(.padding(0xFF), at: 3)),
    ("7004 00 5A0101", TLVError(.padding(0x00), at: 2)),
    ("5A810101", TLVError(.nonMinimalLength, at: 1)), ("5A82000101", TLVError(.nonMinimalLength, at: 1)),
    ("5A8300000101", TLVError(.nonMinimalLength, at: 1)), ("5A840000000101", TLVError(.nonMinimalLength, at: 1)),
    ("5A817F", TLVError(.nonMinimalLength, at: 1)), ("7004 5A810101", TLVError(.nonMinimalLength, at: 3)),
    ("5A8200FF", TLVError(.nonMinimalLength, at: 1)), ("5A8300FFFF", TLVError(.nonMinimalLength, at: 1)),
    ("5A8400FFFFFF", TLVError(.nonMinimalLength, at: 1)),
  ]

  @Test(arguments: strictOnly)
  func `the strict rules refuse padding and lengths that are not in their shortest form`(
    _ hex: String, _ expected: TLVError
  ) throws {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try [TLVNode](parsing: octets.span, rules: .strict) }
  }

  @Test func `each rule applies on its own`() throws {
    let padded = try [UInt8](hex: "005A0101")
    let long = try [UInt8](hex: "5A810101")
    let padding = TLVRules(paddingAllowed: true, nonMinimalLengthAllowed: false)
    let length = TLVRules(paddingAllowed: false, nonMinimalLengthAllowed: true)
    #expect(try [TLVNode](parsing: padded.span, rules: padding).count == 1)
    #expect(try [TLVNode](parsing: long.span, rules: length).count == 1)
    #expect(throws: TLVError(.nonMinimalLength, at: 1)) { try [TLVNode](parsing: long.span, rules: padding) }
    #expect(throws: TLVError(.padding(0), at: 0)) { try [TLVNode](parsing: padded.span, rules: length) }
  }

  @Test(arguments: [
    (0, "00"), (1, "01"), (127, "7F"), (128, "8180"), (255, "81FF"), (256, "820100"), (65535, "82FFFF"),
    (65536, "83010000"),
  ])
  func `lengths are written in the shortest form and read back`(_ count: Int, _ hex: String) throws {
    let node = TLVNode(0x5A, [UInt8](repeating: 0xAB, count: count))
    #expect(node.encoded.prefix(1 + hex.count / 2).hex == "5A" + hex)
    #expect(try [TLVNode](parsing: node.encoded.span, rules: .strict) == [node])
  }

  @Test(arguments: [1, 2, 8])
  func `templates nest to the limit and one level deeper is an error`(_ limit: Int) throws {
    let rules = TLVRules(paddingAllowed: false, nonMinimalLengthAllowed: false, maximumDepth: limit)
    var node = TLVNode(0x5A, [1])
    for _ in 1..<limit { node = TLVNode(0x70, [node]) }
    #expect(try [TLVNode](parsing: node.encoded.span, rules: rules) == [node])
    let deeper = TLVNode(0x70, [node])
    #expect(throws: TLVError(.tooDeep(limit: limit), at: 2 * limit - 2)) {
      try [TLVNode](parsing: deeper.encoded.span, rules: rules)
    }
  }

  @Test func `10 000 nested templates are an error and need no deep stack`() {
    // Each level is 70, 83 and three bytes of length: five bytes.
    let input = (0..<10_000).flatMap { level -> [UInt8] in
      let rest = (9_999 - level) * 5
      return [0x70, 0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: rest >> $0) }
    }
    #expect(throws: TLVError(.tooDeep(limit: 8), at: 35)) { try [TLVNode](parsing: input.span) }
  }

  @Test func `a reader of one level returns tag, offset and value range of each data object`() throws {
    let octets = try [UInt8](hex: "00 9F3602002D 5A8103010203 FF 7000")
    var reader = TLVReader(octets.span, origin: 100)
    var found: [TLVHeader] = []
    while let header = try reader.next() { found.append(header) }
    let again = try reader.next()
    #expect(found.map(\.tag) == [0x9F36, 0x5A, 0x70])
    #expect(found.map(\.offset) == [101, 106, 113])
    #expect(found.map(\.value) == [104..<106, 109..<112, 115..<115])
    #expect(again == nil)
  }

  @Test(arguments: [
    "1F", "DF8181", "5A", "5A81", "5A8401", "5A80", "5A85", "5A02AA", "9F3681FF01", "00", "5A8101AA",
  ])
  func `a failed read does not move the reader and fails again in the same way`(_ hex: String) throws {
    let octets = try [UInt8](hex: "5701BB" + hex)
    var reader = TLVReader(octets.span, rules: .strict)
    let first = try reader.next()
    #expect(first?.tag == 0x57)
    var errors: [TLVError] = []
    for _ in 0..<3 {
      do throws(TLVError) {
        let header = try reader.next()
        Issue.record("read \(String(describing: header))")
      } catch {
        errors.append(error)
      }
    }
    #expect(errors.count == 3)
    #expect(Set(errors.map(\.description)).count == 1)
  }

  @Test func `A data object is found at any depth, in the order of the wire`() {
    let nodes = [
      TLVNode(0x70, [TLVNode(0x61, [TLVNode(0x4F, [0xAA])]), TLVNode(0x4F, [0xBB])]), TLVNode(0x4F, [0xCC]),
    ]
    #expect(nodes.first(0x4F)?.value == [0xAA])
    #expect(nodes.first(0x61)?.children.count == 1)
    #expect(nodes.first(0x70)?.value.hex == "61034F01AA4F01BB")
    #expect(nodes[1].children.isEmpty)
    #expect(nodes.first(0x57) == nil)
    #expect(nodes.encoded.hex == "700861034F01AA4F01BB4F01CC")
  }

  @Test func `errors are sentences with offset, value and limit`() {
    let errors: [(TLVError.Code, String)] = [
      (.truncatedTag, "the input ends inside the tag at offset 7"),
      (.tagTooLong(limit: 3), "the tag at offset 7 has more than 3 bytes"),
      (.truncatedLength, "the input ends inside the length at offset 7"),
      (.lengthTooLong(octets: 5, limit: 4), "the length at offset 7 has 5 bytes: the limit is 4"),
      (.indefiniteLength, "the length at offset 7 is of the indefinite form, which EMV does not use"),
      (.nonMinimalLength, "the length at offset 7 is not in its shortest form"),
      (.valueTooLong(stated: 9, available: 2), "the length at offset 7 states 9 bytes, but 2 are left"),
      (.padding(0), "padding (00) at offset 7"), (.padding(0xFF), "padding (FF) at offset 7"),
      (.tooDeep(limit: 8), "the template at offset 7 is nested deeper than 8 levels"),
    ]
    for (code, sentence) in errors { #expect(TLVError(code, at: 7).description == sentence) }
  }
}
