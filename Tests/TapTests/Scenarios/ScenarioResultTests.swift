import Foundation
import TestSupport
import Testing

/// The JUnit XML of `tap test`, read by parsers of other projects.
@Suite("Results of tap test", .blocks, .timeLimit(.minutes(20)))
struct ScenarioResultTests {
  struct Reading: Decodable {
    struct Case: Decodable {
      let suite: String
      let name: String
      let seconds: Double
      let output: String?
      let results: [String]
      let messages: [String]
    }
    struct Suite: Decodable {
      let timestamp: String?
      let properties: [String: String]
    }
    let totals: [String: Int]
    let suites: [Suite]
    let cases: [Case]
    let time: Double
  }

  func read(_ path: String) throws -> Reading {
    let program = try ProgramRun(OracleTests().python(), [OracleTests.script("read_junit.py"), path])
    #expect(try program.finish() == .exited(0), "\(program.errors)")
    return try JSONDecoder().decode(Reading.self, from: Data(program.output.utf8))
  }

  @Test func `two parsers read the same verdicts from JUnit XML`() throws {
    let scratch = try Scratch()
    let card = "card: {file: \(TapProgram.card("visa-cvn18"))}"
    let head = "amount: 12.34\ncurrency: EUR\n"
    let files = try [
      ("a", "name: 'Good <&> \"all\" ]]>'\n\(head)\(card)\nrepeat: 2\nexpect: {outcome: approved}\n"),
      ("b", "name: Bad\n\(head)\(card)\nexpect: {outcome: declined, cvm: signature}\n"),
      ("c", "name: Torn\n\(head)card: {file: \(TapProgram.card("faulty-link")), faults: true}\nexpect: {cvm: CDCVM}\n"),
      ("d", "name: Late\n\(head)\(card)\nrepeat: 5\nexpect: {cvm: CDCVM}\n"),
    ].map { try scratch.write("\($0.0).yaml", $0.1) }
    let output = scratch.path("results.xml")
    let options = ["--reader", "loopback", "--format", "junit", "--output", output]
    let record = ["--record", scratch.path("recordings")]
    let run = try TapProgram.finish(TapProgram.start(["test"] + files + options + record))
    #expect(run.code == 2 && run.output.isEmpty)
    let reading = try read(output)
    #expect(reading.totals == ["tests": 9, "failures": 1, "errors": 1, "skipped": 0])
    #expect(reading.cases.first?.suite == "Good <&> \"all\" ]]>")
    #expect(reading.cases.allSatisfy { $0.output?.hasPrefix("transcript: \(scratch.path("recordings"))/0") == true })
    #expect(reading.cases[2].results == ["failure"])
    #expect(reading.cases[2].messages == ["outcome: expected declined, got approved (and 1 further difference)"])
    #expect(reading.cases[3].results == ["error"])
    #expect(reading.cases[3].messages.first?.contains("the link failed in exchange 3") == true)
    #expect(reading.cases.allSatisfy { $0.seconds > 0 } && reading.time > 0)
    #expect(reading.suites.count == 4)
    for suite in reading.suites {
      let begun = try Date(
        #require(suite.timestamp), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      #expect(abs(begun.timeIntervalSinceNow) < 600)
      #expect(
        Set(suite.properties.keys) == ["reader", "version", "build", "card", "terminal profile"], "\(suite.properties)")
    }
    #expect(reading.suites[0].properties["reader"] == "loopback:\(TapProgram.card("visa-cvn18"))")
    _ = try TapProgram.finish(TapProgram.start(["test"] + files + options + ["--fail-fast", "--force"]))
    let short = try read(output)
    #expect(short.totals == ["tests": 5, "failures": 1, "errors": 0, "skipped": 2])
    #expect(short.cases.last?.results == ["skipped"])
    #expect(short.cases.last?.messages == ["5 of 5 taps not made"])
  }
}
