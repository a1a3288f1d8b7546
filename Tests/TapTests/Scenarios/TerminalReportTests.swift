import Fixtures
import Foundation
import TestSupport
import Testing

/// What the reports of `tap test` state beside verdicts: both profiles, and each difference with its rule.
@Suite("Reports of terminal tests", .blocks, .timeLimit(.minutes(20)))
struct TerminalReportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The same run as JUnit, JSON and a page.
  func reports(_ arguments: [String]) throws -> (junit: String, json: [String: Any], page: String) {
    let page = scratch.path("report.html")
    let options = ["test"] + arguments + ["--format"]
    let junit = try TapProgram.finish(TapProgram.start(options + ["junit", "--report", page, "--force"]))
    let json = try TapProgram.finish(TapProgram.start(options + ["json"]))
    return (junit.output, try json.json(), try String(contentsOfFile: page, encoding: .utf8))
  }

  @Test func `every report names the card with its changes, and the terminal with kernels, AIDs and limits`() throws {
    let file = try scratch.terminalScenario(
      "changed", "changes: {\"applications[0].priority\": 2}", expect: "shown: approved")
    let found = try reports([file, "--link", "loopback", "--capabilities", TerminalRunTests.visaOnly])
    let card = "\(TapProgram.card("visa-cvn18")), 1 change of the profile"
    let application = "kernel 3; 9F66 36004000; EUR: contactless limit 100.00, CVM limit 25.00, floor limit 0.00"
    for (name, value) in [
      ("card profile", card), ("terminal profile", "all-kernels"), ("terminal", "Reader with kernel 3 only"),
      ("application A0000000031010", application), ("kernels", "3"), ("verification methods", "onDevice, none"),
    ] {
      #expect(found.junit.contains("<property name=\"\(name)\" value=\"\(value)\"/>"), "\(name): \(found.junit)")
      #expect(found.page.contains(value) && found.page.contains(name), "\(name)")
      let scenario = (found.json["scenarios"] as? [[String: Any]])?.first?["properties"] as? [String: String]
      let run = found.json["properties"] as? [String: String]
      #expect(scenario?[name] ?? run?[name] == value, "\(name): \(found.json)")
    }
  }

  @Test func `a scenario with a terminal of its own names it in place of the default one`() throws {
    let terminal = Fixtures.url("Terminals/attended-eur.json").path
    let own = try scratch.terminalScenario("own", expect: "shown: approved")
    let text = try String(contentsOfFile: own, encoding: .utf8) + "terminal: \(terminal)\n"
    let found = try reports([scratch.write("own.yaml", text), "--link", "loopback"])
    #expect(found.junit.contains("<property name=\"terminal profile\" value=\"\(terminal)\"/>"), "\(found.junit)")
    #expect(!found.junit.contains("name=\"terminal profile\" value=\"all-kernels\"/>"), "\(found.junit)")
    #expect(found.page.contains("<dt>terminal profile</dt><dd>\(terminal)</dd>"))
  }

  @Test func `each of three differences is in every report with exchange, element, values and rule`() throws {
    let file = try scratch.terminalScenario(
      "wrong", expect: "bytes: {GPO: \"80 A9\"}, exchanges: 2, tags: {9F66: {bits: {byte 1 bit 6: false}}}")
    let found = try reports([file, "--link", "loopback"])
    let rule = "EMV 4.4 Book 3, 10.2"
    let scenario = try #require((found.json["scenarios"] as? [[String: Any]])?.first)
    #expect(scenario["rule"] as? String == rule)
    let tap = try #require((scenario["taps"] as? [[String: Any]])?.first)
    let failures = try #require(tap["failures"] as? [[String: Any]])
    #expect(failures.count == 3, "\(failures)")
    #expect(
      failures.contains { $0["exchange"] as? Int == 3 && $0["element"] as? String == "bytes of GET PROCESSING OPTIONS" }
    )
    #expect(
      failures.contains { $0["tag"] as? String == "9F66" && $0["expected"] as? String == "not set" }, "\(failures)")
    #expect(failures.contains { $0["expected"] as? String == "2" }, "\(failures)")
    let lines = found.junit.split(separator: "\n").filter { $0.contains("<failure ") }
    #expect(lines.count == 1 && lines[0].contains("rule: \(rule)"), "\(found.junit)")
    for message in failures.compactMap({ $0["message"] as? String }) {
      #expect(lines.first?.contains(message) == true, "\(message)")
    }
    for failure in failures {
      let (expected, got) = (failure["expected"] as? String ?? "", failure["got"] as? String ?? "")
      #expect(
        found.page.contains("<td class=\"expected\">\(expected)</td><td class=\"found\">\(got)</td>"), "\(failure)")
    }
    #expect(found.page.contains("wrong: \(rule)</p>") && found.page.contains("<div class=\"dim\">exchange 3, GET PROC"))
  }
}
