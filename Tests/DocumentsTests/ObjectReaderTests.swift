import Documents
import JSON
import Testing

@Suite("Object reader")
struct ObjectReaderTests {
  static func reader(_ text: String, at path: String = "$") throws -> ObjectReader {
    ObjectReader(try JSONValue(parsing: text), at: path)
  }

  @Test func `values of the right kind are returned without a problem`() throws {
    var reader = try Self.reader(
      #"{"a": "x", "b": 7, "c": true, "d": ["p", "q"], "e": {"f": 1}, "g": [{"h": 1}, {"h": 2}], "i": "two", "j": null}"#
    )
    #expect(reader.text("a", characters: 1...1) == "x")
    #expect(reader.integer("b", in: 0...9) == 7)
    #expect(reader.flag("c") == true)
    #expect(reader.texts("d") == ["p", "q"])
    let part = reader.object("e") { $0.integer("f", in: 0...1) }
    #expect(part == 1)
    let parts = reader.objects("g") { $0.integer("h", in: 0...2) }
    #expect(parts == [1, 2])
    #expect(reader.choice("i", of: [("one", 1), ("two", 2)]) == 2)
    #expect(reader.optionalText("j") == nil)
    #expect(reader.finish().isEmpty)
  }

  @Test func `absent values are nil`() throws {
    var reader = try Self.reader(#"{"null": null}"#)
    #expect(reader.optionalText("null") == nil)
    #expect(reader.optionalInteger("c", in: 1...2) == nil)
    #expect(reader.optionalFlag("d") == nil)
    #expect(reader.optionalTexts("e") == nil)
    let part = reader.optionalObject("f") { $0.path }
    #expect(part == nil)
    let parts = reader.optionalObjects("g") { $0.path }
    #expect(parts == nil)
    #expect(reader.optionalChoice("h", of: [("x", 1)]) == nil)
    #expect(reader.finish().isEmpty)
  }

  @Test func `every problem is reported with place and path in the order of the document`() throws {
    var reader = try Self.reader(
      """
      {
        "name": 1,
        "extra": 0,
        "limits": [{"floor": 12}, 7, {"floor": 3, "flor": 4}],
        "count": 99,
        "aids": ["A0", 5],
        "kernel": "visa2",
        "text": "abcd",
        "fraction": 1.5
      }
      """)
    _ = reader.integer("fraction", in: 0...1)
    _ = reader.text("text", characters: 1...3)
    _ = reader.choice("kernel", of: [("visa", 1), ("amex", 2)])
    #expect(reader.texts("aids") == ["A0"])
    #expect(reader.integer("count", in: 1...15) == 1)
    let floors = reader.objects("limits") { $0.integer("floor", in: 0...9) }
    #expect(floors == [0, 0, 3])
    #expect(reader.text("name") == "")
    #expect(reader.flag("gone") == false)
    #expect(
      reader.finish().map(\.description) == [
        "line 1, column 1, $.gone: true or false is missing",
        "line 2, column 11, $.name: text is needed, not a whole number",
        "line 3, column 3, $.extra: no such key; there are fraction, text, kernel, aids, count, limits, name, gone",
        "line 4, column 24, $.limits[0].floor: 12: the range is 0...9",
        "line 4, column 29, $.limits[1]: an object is needed, not a whole number",
        "line 4, column 45, $.limits[2].flor: no such key; did you mean floor? there are floor",
        "line 5, column 12, $.count: 99: the range is 1...15",
        "line 6, column 18, $.aids[1]: text is needed, not a whole number",
        "line 7, column 13, $.kernel: \"visa2\" is not one of visa, amex",
        "line 8, column 11, $.text: 4 characters: the range is 1...3",
        "line 9, column 15, $.fraction: a whole number of 0...1 is needed, not a number that is not whole or too large",
      ])
  }

  @Test func `a substitute causes no second problem`() throws {
    var reader = try Self.reader(#"{"merchant": 7, "aids": [1, "A0"], "name": ""}"#)
    let name = reader.object("merchant") { merchant in
      let name = merchant.text("name")
      if name.isEmpty { merchant.note("name", "a name is needed") }
      return name
    }
    #expect(name == "")
    reader.note("merchant.name", "a name is needed")
    _ = reader.list("aids") { value, place, reader in
      if value.text == nil { reader.refuse(place, "text is needed") }
      reader.note(place, "too short")
      return value.text
    }
    if reader.text("name").isEmpty { reader.note("name", "a name is needed") }
    #expect(
      reader.finish().map { "\($0.path): \($0.reason)" } == [
        "$.merchant: an object is needed, not a whole number", "$.aids[0]: text is needed", "$.aids[1]: too short",
        "$.name: a name is needed",
      ])
  }

  @Test func `a document that is not an object is one problem`() throws {
    var reader = try Self.reader("\n []")
    _ = reader.text("name")
    reader.note("", "further")
    #expect(reader.finish().map(\.description) == ["line 2, column 2, $: an object is needed, not a list"])
  }

  @Test func `an empty path begins with the key`() throws {
    var reader = try Self.reader(#"{"faults": [{"what": {"kind": 1}}]}"#, at: "")
    _ = reader.objects("faults") { fault in fault.object("what") { what in what.text("kind") } }
    reader.note("", "whole")
    #expect(reader.finish().map(\.path) == ["", "faults[0].what.kind"])
  }

  @Test func `a note gets the place of the deepest value on its path`() throws {
    var reader = try Self.reader(#"{"limits": [{"floor": "1"}]}"#)
    #expect(reader.has("limits") == true)
    reader.note("limits[0].floor", "a")
    reader.note("limits[0].cvm", "b")
    reader.note("limits[1]", "c")
    #expect(reader.finish().map { "\($0.reason) \($0.position.column)" } == ["c 12", "b 13", "a 23"])
  }

  @Test func `free and unknown keys can be accepted`() throws {
    var free = try Self.reader(#"{"a": 1, "b": 2}"#)
    #expect(free.members().map(\.key) == ["a", "b"])
    #expect(free.finish().isEmpty)
    var other = try Self.reader(#"{"a": 1}"#)
    other.acceptUnknownKeys()
    #expect(other.finish().isEmpty)
  }

  @Test func `a declared key is read by its own rules`() throws {
    let count = ProfileKey("count", .integer, range: 1...3, default: 2, help: "How many.")
    let mode = ProfileKey("mode", .choice(["a", "b"]), isRequired: true, help: "The mode.")
    let part = ProfileKey("part", .object([count]), help: "A part.", source: "RFC 8259")
    let open = ProfileKey("open", .flag, default: true, help: "Open.")
    var absent = try Self.reader(#"{"part": {"count": 3}}"#)
    #expect(absent.integer(count) == 2)
    #expect(absent.text(mode) == nil)
    #expect(absent.flag(open) == true)
    let nested = absent.object(part) { $0.integer(count) }
    #expect(nested == 3)
    #expect(absent.finish().map(\.description) == ["line 1, column 1, $.mode: text is missing"])
    var wrong = try Self.reader(#"{"count": 4, "mode": "c"}"#)
    #expect(wrong.integer(count) == nil)
    #expect(wrong.text(mode) == nil)
    #expect(
      wrong.finish().map(\.reason) == [
        "4: the range is 1...3", "\"c\" is not one of a, b",
      ])
  }
}
