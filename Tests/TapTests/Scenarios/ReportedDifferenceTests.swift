import Fixtures
import Foundation
import TestSupport
import Testing

/// What the reports of `tap test` state of a difference, on both sides.
@Suite("Differences in reports", .blocks, .timeLimit(.minutes(20)))
struct ReportedDifferenceTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A scenario for each side that fails in tag 9F02 or 9F36, and the sentence of its difference.
  static let sides: [(option: String, scenario: String, exchange: Int, tag: String, expected: String, got: String)] = [
    (
      "--reader", "steps: [{send: SELECT PPSE}, {send: SELECT AID}, {send: GPO, expect: {tags: {9F36: \"7777\"}}}]",
      3, "9F36", "7777", "0001"
    ),
    (
      "--link", "role: card\namount: 12.34\ncurrency: EUR\nexpect: {tags: {9F02: \"000000007777\"}}", 3, "9F02",
      "000000007777", "000000001234"
    ),
  ]

  @Test(arguments: sides.indices)
  func `text, JSON, JUnit and page state exchange, data element, both values and the rule`(_ index: Int) throws {
    let side = Self.sides[index]
    let file = try scratch.write(
      "wrong.yaml",
      "id: W-1\nname: wrong\nrule: \"Book 9, 8.7\"\ncard: {file: \(TapProgram.card("visa-cvn18"))}\n\(side.scenario)\n")
    let page = scratch.path("page.html")
    func test(_ format: String) throws -> String {
      let run = try TapProgram.finish(
        TapProgram.start(
          ["test", file, side.option, "loopback", "--format", format, "--report", page, "--force"]))
      #expect(run.code == 2, "\(run.output)\(run.errors)")
      return run.output
    }
    let json = try #require(JSONSerialization.jsonObject(with: Data(test("json").utf8)) as? [String: Any])
    let scenario = try #require((json["scenarios"] as? [[String: Any]])?.first)
    let tap = try #require((scenario["taps"] as? [[String: Any]])?.first)
    let failure = try #require((tap["failures"] as? [[String: Any]])?.first)
    #expect(scenario["rule"] as? String == "Book 9, 8.7" && scenario["id"] as? String == "W-1")
    #expect(failure["exchange"] as? Int == side.exchange, "\(failure)")
    #expect(failure["command"] as? String == "GET PROCESSING OPTIONS", "\(failure)")
    #expect(failure["tag"] as? String == side.tag && failure["expected"] as? String == side.expected, "\(failure)")
    #expect(failure["got"] as? String == side.got, "\(failure)")
    let sentence = try #require(failure["message"] as? String)
    #expect(sentence.hasPrefix("exchange \(side.exchange), GET PROCESSING OPTIONS: \(side.tag) "), "\(sentence)")
    #expect(try test("text").contains(sentence))
    let junit = try test("junit")
    #expect(junit.contains("<property name=\"rule\" value=\"Book 9, 8.7\"/>"), "\(junit)")
    #expect(junit.contains("\(sentence)&#10;rule: Book 9, 8.7</failure>"), "\(junit)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    let place = "<div class=\"dim\">exchange \(side.exchange), GET PROCESSING OPTIONS</div>"
    let values = "<td class=\"expected\">\(side.expected)</td><td class=\"found\">\(side.got)</td>"
    for text in [place, values, side.tag, "W-1: Book 9, 8.7"] { #expect(html.contains(text), "\(text) \(html)") }
  }
}
