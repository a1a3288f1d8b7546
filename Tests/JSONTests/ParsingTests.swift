import Fixtures
import Foundation
import JSON
import Testing

@Suite("JSON values read from text")
struct ParsingTests {
  @Test func `a document is read with the place of every value`() throws {
    let json = try JSONValue(parsing: "{\"é\": [1,\n  \"x\"],\r\n \"b\": {\"c\": null}}")
    #expect(json == ["é": [1, "x"], "b": ["c": nil]])
    #expect(json.position == JSONPosition(line: 1, column: 1))
    // Columns count characters, not bytes.
    #expect(json["é"]?.position == JSONPosition(line: 1, column: 7))
    #expect(json["é"]?.list?.map(\.position.description) == ["line 1, column 8", "line 2, column 3"])
    #expect(json.members?[1].position == JSONPosition(line: 3, column: 2))
    #expect(json["b"]?["c"]?.isNull == true)
    #expect(json["none"] == nil)
  }

  static let texts: [(json: String, text: String)] = [
    (#""a\/b""#, "a/b"), (#""a\\b""#, #"a\b"#), (#""a\"b""#, "a\"b"), (#""\t\b\f\r\n""#, "\t\u{8}\u{C}\r\n"),
    (#""\u0041\u00e9\u00E9""#, "A\u{E9}\u{E9}"), (#""x\ud83d\ude00x""#, "x\u{1F600}x"), (#""x\ud83dx""#, "x\u{FFFD}x"),
    (#""x\ude00x""#, "x\u{FFFD}x"), (#""x\ud83d\ud83d\ude00x""#, "x\u{FFFD}\u{1F600}x"),
    (#""x\ud83d\uf900x""#, "x\u{FFFD}\u{F900}x"), (#""é😀\#u{7F}""#, "é😀\u{7F}"), (#""""#, ""),
  ]

  @Test(arguments: texts.indices)
  func `every escape is read as its character`(_ row: Int) throws {
    #expect(try JSONValue(parsing: Self.texts[row].json).text == Self.texts[row].text)
  }

  @Test(arguments: [
    ("0", 0, 0), ("-0", 0, 0), ("17", 17, 17), ("-9223372036854775808", Int.min, -0x1p63), ("1.0", 1, 1),
    ("1E2", 100, 100),
    ("1.5", nil, 1.5), ("1e999", nil, nil), ("9223372036854775808", nil, 0x1p63), ("2.5e-1", nil, 0.25),
  ])
  func `a number keeps its text and is whole where nothing is lost`(_ text: String, integer: Int?, number: Double?)
    throws
  {
    let value = try JSONValue(parsing: text)
    #expect(value.content == .number(text))
    #expect(value.integer == integer)
    #expect(value.number == number)
  }

  static let errors: [(json: String, description: String)] = [
    ("", "line 1, column 1: expected a value, found the end of the text"),
    ("[1, 2", "line 1, column 6: expected a comma or ], found the end of the text"),
    ("{\n  \"a\": }", "line 2, column 8: expected a value, found \"}\""),
    ("{\"a\" 1}", "line 1, column 6: expected a colon, found \"1\""),
    ("{a: 1}", "line 1, column 2: expected a key in quotation marks, found \"a\""),
    ("{\"a\": 1,}", "line 1, column 9: expected a key in quotation marks, found \"}\""),
    ("[1,]", "line 1, column 4: expected a value, found \"]\""),
    ("{} {}", "line 1, column 4: expected the end of the text, found \"{\""),
    ("\"a\nb\"", "line 1, column 3: expected a closing quotation mark, found the byte A"),
    ("\"a", "line 1, column 3: expected a closing quotation mark, found the end of the text"),
    (#""\x41""#, #"line 1, column 3: expected one of " \ / b f n r t u, found "x""#),
    (#""\u12""#, #"line 1, column 6: expected four hexadecimal digits, found """"#),
    (#""\u+123""#, #"line 1, column 4: expected four hexadecimal digits, found "+""#),
    (#""\ud83d\u"#, "line 1, column 10: expected four hexadecimal digits, found the end of the text"),
    ("01", "line 1, column 2: expected the end of the text, found \"1\""),
    ("-", "line 1, column 2: expected a digit, found the end of the text"),
    ("+1", "line 1, column 1: expected a value, found \"+\""),
    ("1.", "line 1, column 3: expected a digit, found the end of the text"),
    ("1e+", "line 1, column 4: expected a digit, found the end of the text"),
    ("nan", "line 1, column 2: expected null, found \"a\""),
    ("tru", "line 1, column 4: expected true, found the end of the text"),
    ("[é]", "line 1, column 2: expected a value, found the byte C3"),
    ("{\"é\": 1,\n \"é\": 2}", "line 2, column 2: expected a key that the object does not have yet, found \"é\" again"),
    ("\u{0}", "line 1, column 1: expected a value, found the byte 0"),
  ]

  @Test(arguments: errors.indices)
  func `text that is not JSON throws the place of the first error`(_ row: Int) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Self.errors[row].json) }
    #expect(error?.description == Self.errors[row].description)
  }

  @Test func `bytes that are not UTF-8 are refused in a string and elsewhere`() throws {
    for octets: [UInt8] in [[0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF], [0xEF, 0xBB]] {
      #expect(throws: JSONError.self) { try JSONValue(parsing: octets) }
    }
    #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF, 0x37] as [UInt8]) == 7)
  }

  @Test func `32 levels are read and the next one is refused`() throws {
    let nested = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
    _ = try JSONValue(parsing: nested(32))
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: nested(33)) }
    #expect(error?.description == "line 1, column 33: expected at most 32 levels, found another level")
  }

  @Test func `64 MiB are read and one byte more is refused`() throws {
    var octets = [UInt8](repeating: 0x20, count: JSONValue.maximumCount)
    octets[0] = 0x37
    #expect(try JSONValue(parsing: octets) == 7)
    octets.append(0x20)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: octets) }
    #expect(error?.found == "67108865")
  }

  @Test func `a value of another kind than expected is an error at its place without the value`() throws {
    let value = try JSONValue(parsing: "\n  \"4761739001010010\"")
    #expect(
      value.mismatch(expected: "a list of exchanges").description
        == "line 2, column 3: expected a list of exchanges, found text")
  }

  @Test(arguments: ["profile-cut", "profile-nested", "profile-wrong-kinds"])
  func `a damaged profile throws an error with line and column, or is read`(_ name: String) throws {
    let octets = try Fixtures.data("Crashers/\(name).json")
    guard name != "profile-wrong-kinds" else {
      #expect(try JSONValue(parsing: octets)["currencies"]?.list?[0]["exponent"]?.integer == nil)
      return
    }
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: octets) }
    #expect(error?.line == 1)
    #expect(error?.column == (name == "profile-cut" ? octets.count + 1 : 33))
  }

  @Test func `every shipped profile is read, and no prefix of it is`() throws {
    let octets = try Array(Fixtures.data("Terminals/attended-eur.json"))
    let json = try JSONValue(parsing: octets)
    let end = octets.lastIndex(of: UInt8(ascii: "}")) ?? 0
    for count in stride(from: 0, through: end, by: 7) {
      #expect(throws: JSONError.self) { try JSONValue(parsing: octets[..<count]) }
    }
    let again = try JSONValue(parsing: json.pretty)
    #expect(again == json)
    let foundation = try JSONSerialization.jsonObject(with: Data(octets)) as? NSDictionary
    let written = try JSONSerialization.jsonObject(with: Data(json.compact.utf8)) as? NSDictionary
    #expect(written == foundation)
  }
}
