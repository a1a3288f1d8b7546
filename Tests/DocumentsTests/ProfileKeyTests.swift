import Documents
import JSON
import Testing

@Suite("Declared keys")
struct ProfileKeyTests {
  static let keys = [
    ProfileKey("name", .text, isRequired: true, range: 1...4, help: "The name."),
    ProfileKey("aids", .list(.octets, each: 5...16), range: 1...Int.max, help: "The AIDs.", source: "Book 1"),
    ProfileKey(
      "kernels",
      .list(
        .selected(
          [ProfileKey("kernel", .integer, isRequired: true, help: "Which.")], by: "kernel",
          [
            .init(2, [ProfileKey("limit", .amount, help: "A|B.")]),
            .init(3, [ProfileKey("limit", .amount, help: "A|B."), ProfileKey("q", .digits, range: 2...3, help: "Q.")]),
          ])), help: "The kernels."),
    ProfileKey("retries", .integer, range: 0...2, default: 1, help: "How often."),
  ]

  @Test func `the table has a row for each key, and writes what variants share once`() {
    let rows = ProfileKeyTable(Self.keys).rows
    #expect(
      rows.map(\.path) == [
        "name", "aids", "kernels", "kernels[].kernel", "kernels[].limit", "kernels[].q", "retries",
      ])
    #expect(
      rows.map(\.limits) == [
        "1...4 characters", "at least 1 value, each 5...16 bytes", "", "", "", "2...3 digits", "0...2",
      ])
    #expect(rows.map(\.condition) == [nil, nil, nil, nil, "kernel 2, 3", "kernel 3", nil])
    #expect(rows.map(\.presence) == ["required", "", "", "required", "", "", "1"])
    let markdown = ProfileKeyTable(Self.keys).markdown.split(separator: "\n")
    #expect(markdown.count == 9)
    #expect(markdown[6] == "| `kernels[].limit` | amount |  |  | kernel 2, 3: A\\|B. |  |")
  }

  @Test func `the schema has the limits of every key, and a condition for each variant`() throws {
    let schema = ProfileKey.schema(of: Self.keys, title: "Example")
    #expect(schema["title"] == "Example")
    #expect(schema["required"] == ["name"])
    #expect(schema["additionalProperties"] == false)
    let properties = try #require(schema["properties"])
    #expect(properties["name"]?["maxLength"] == 4)
    #expect(properties["aids"]?["items"]?["pattern"] == "^( *[0-9A-Fa-f]{2}){5,16} *$")
    #expect(properties["aids"]?["maxItems"] == nil)
    #expect(properties["aids"]?["description"] == "The AIDs. (Book 1)")
    #expect(properties["retries"]?["default"] == 1)
    let kernel = try #require(properties["kernels"]?["items"])
    #expect(kernel["properties"]?["kernel"]?["enum"] == [2, 3])
    let conditions = try #require(kernel["allOf"]?.list)
    #expect(conditions[1]["if"]?["properties"]?["kernel"]?["const"] == 3)
    #expect(conditions[1]["then"]?["properties"]?.members?.map(\.key) == ["kernel", "limit", "q"])
  }

  /// A mistyped name, and the name that it most likely means.
  static let typos: [(String, String?)] = [
    ("limit", "limits"), ("pirority", "priority"), ("Label", "label"), ("x", nil), ("cryptogramm", "cryptogram"),
    ("colour", nil), ("", nil),
  ]

  @Test(arguments: typos.indices)
  func `the nearest name has at most one change for three letters`(_ row: Int) {
    let (typo, name) = Self.typos[row]
    #expect(typo.nearest(in: ["limits", "priority", "label", "cryptogram", "aip"]) == name)
  }
}
