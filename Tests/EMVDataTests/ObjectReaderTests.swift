import Documents
import EMVData
import ISO7816
import JSON
import Testing

@Suite("Bytes and data objects in a JSON object")
struct ObjectReaderTests {
  @Test func `bytes and data objects are read from hexadecimal text`() throws {
    var reader = ObjectReader(["a": "0102", "b": ["9F02 000000000100", "82 0040"], "c": "7F"])
    #expect(reader.octets("a", count: 2) == [1, 2])
    #expect(reader.dataObjects("b") == [TLVNode(0x9F02, [0, 0, 0, 0, 1, 0]), TLVNode(0x82, [0, 0x40])])
    #expect(reader.octets(ProfileKey("c", .octets, range: 1...1, help: "A byte.")) == [0x7F])
    #expect(reader.octets(ProfileKey("d", .octets, default: "0A", help: "A byte.")) == [0x0A])
    #expect(reader.optionalOctets("e", count: 1) == nil)
    #expect(reader.optionalDataObjects("f") == nil)
    #expect(reader.finish().isEmpty)
  }

  @Test func `wrong bytes and data objects are reported at their place without a number`() throws {
    let json = try JSONValue(
      parsing: """
        {"a": "01", "b": "0", "c": "0x", "d": 1,
         "e": ["4761739001010010", "9F02", "9F02 01", "70 00", 7, "9F66 F000", "82 0040"]}
        """)
    var reader = ObjectReader(json, at: "")
    #expect(reader.octets("a", count: 2) == [0, 0])
    #expect(reader.octets("b", counts: 1...3) == [0])
    #expect(reader.octets("c", counts: 1...3) == [0])
    #expect(reader.octets("d", counts: 1...3) == [0])
    #expect(reader.octets("z", counts: 1...3) == [0])
    let objects = reader.dataObjects("e", lengths: [0x9F66: 2...2])
    #expect(objects == [TLVNode(0x9F66, [0xF0, 0x00]), TLVNode(0x82, [0, 0x40])])
    #expect(
      reader.finish().map { "\($0.path): \($0.reason)" } == [
        "z: text is missing", "a: 1 byte: 2 are needed", "b: 1 hexadecimal digit: an even number is needed",
        "c: character 1 is \"x\", which is not a hexadecimal digit", "d: text is needed, not a whole number",
        "e[0]: the text must start with a tag of 2, 4 or 6 hexadecimal digits and a space",
        "e[1]: the text must start with a tag of 2, 4 or 6 hexadecimal digits and a space",
        "e[2]: 1 byte: 6 are needed", "e[3]: tag 70 is a template: give the data objects in it",
        "e[4]: text is needed, not a whole number",
      ])
  }
}
