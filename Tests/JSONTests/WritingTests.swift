import Foundation
import JSON
import Testing

@Suite("JSON values written as text")
struct WritingTests {
  static let value: JSONValue = [
    "name": "a\"b\\c\n\r\t\u{1}\u{1F}/é", "limits": [1, -2, [], [:]], "open": true, "left": nil, "half": JSONValue(0.5),
  ]

  @Test func `the compact form is one line with the keys in the given order`() {
    #expect(
      Self.value.compact
        == #"{"name": "a\"b\\c\n\r\t\u0001\u001f/é", "limits": [1, -2, [], {}], "open": true, "left": null, "half": 0.5}"#
    )
  }

  @Test func `the pretty form has one member a line`() {
    #expect(
      Self.value.pretty == """
        {
          "name": "a\\"b\\\\c\\n\\r\\t\\u0001\\u001f/é",
          "limits": [
            1,
            -2,
            [],
            {}
          ],
          "open": true,
          "left": null,
          "half": 0.5
        }
        """)
  }

  @Test func `both forms are read back as the same value`() throws {
    for text in [Self.value.compact, Self.value.pretty] {
      #expect(try JSONValue(parsing: text) == Self.value)
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }
  }

  @Test func `whole numbers are written without a decimal point`() {
    #expect(JSONValue(5.0).compact == "5")
    #expect(JSONValue(UInt64.max).compact == "18446744073709551615")
    #expect(JSONValue(1e300).compact == "1e+300")
  }

  @Test func `members without a value are left out`() {
    #expect(JSONValue(members: [("a", 1), ("b", nil)]).compact == "{\"a\": 1}")
  }
}
