import JSON
import Testing

@testable import TapScenarios

/// How words of a scenario are read.
@Suite("Words of a scenario")
struct ScenarioTextTests {
  static let head = "name: A\namount: 1.00\ncurrency: EUR\nexpect: {cvm: CDCVM}\n"

  @Test func `quoted words are texts, numbers with zeros in front are codes`() throws {
    let text =
      "{a: 0276, b: 276, c: '276', d: \"276\", e: true, f: 'true', g: ~, h: \"\", i: null, j: -5, k: [1, \"2\"]}"
    let expected =
      #"{"a":"0276","b":276,"c":"276","d":"276","e":true,"f":"true","g":null,"h":"","i":null,"j":-5,"k":[1,"2"]}"#
    #expect(try JSONValue(yaml: Array(text.utf8)) == JSONValue(parsing: expected))
  }

  @Test(arguments: ["prompt: fish & chips\n", "prompt: fish&chips\n", "prompt: chips &\n", "prompt: \"a&b\"\n"])
  func `an ampersand within words is not an anchor`(_ line: String) throws {
    _ = try TapScenario(parsing: Array((Self.head + line).utf8))
  }

  static let refusals: [(line: String, reason: String)] = [
    ("prompt: [&x a]\n", "is an anchor"), ("prompt: {&x a: b}\n", "is an anchor"),
    ("prompt: [a,&x b]\n", "is an anchor"),
    ("&x prompt: a\n", "is an anchor"), ("date: 2026-2-28\n", "is no date"), ("date: 2026-02-28-\n", "is no date"),
    ("time: 9:05:00\n", "is no time of day"), ("time: 09:05\n", "is no time of day"),
    ("card: {verified: false, faults: true}\n", "\"faults\" needs a verified holder"),
    ("prompt: \"\"\n", "1 to 1000 characters"),
  ]

  @Test(arguments: refusals.indices)
  func `an anchor, an invalid date or an empty prompt is refused`(_ row: Int) {
    let (line, reason) = Self.refusals[row]
    let error = #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array((Self.head + line).utf8)) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: ["EU", "EURO"])
  func `a currency has three characters`(_ name: String) {
    let text = Self.head.replacing("EUR", with: name)
    let error = #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array(text.utf8)) }
    #expect(error?.description.contains("3 to 3 characters") == true)
  }

  @Test func `bytes may stand apart`() throws {
    let text = Self.head.replacing("{cvm: CDCVM}", with: "{tags: {AIP: 00 40}, application: A0 00 00 00 03}")
    let expectations = try TapScenario(parsing: Array(text.utf8)).expectations
    #expect(expectations.elements.map(\.condition) == [.equals([0x00, 0x40])])
    #expect(expectations.applications == [[0xA0, 0, 0, 0, 3]])
  }
}
