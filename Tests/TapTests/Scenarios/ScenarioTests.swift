import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap test` as CI runs it: cards in one process, recordings, results in every format.
@Suite("tap test", .blocks, .timeLimit(.minutes(20)))
struct ScenarioTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let all = Fixtures.url("Scenarios").path

  static func file(_ name: String) -> String { Fixtures.url("Scenarios/\(name)").path }

  /// A scenario of one's own about the Visa card.
  func scenario(_ expect: String, _ further: String = "", name: String = "one") throws -> String {
    try scratch.write(
      "\(name).yaml",
      "name: \(name)\namount: 12.34\ncurrency: EUR\ncard: {file: \(TapProgram.card("visa-cvn18"))}\n\(further)\n"
        + "expect: {\(expect)}\n")
  }

  func test(_ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["test"] + arguments))
  }

  @Test func `every shipped scenario passes with the card that it names, and is known without a reader`() throws {
    let directories = [Self.all, "\(Self.all)/Issuer", "\(Self.all)/EntryPoint", "\(Self.all)/Kernels"]
    let run = try test(directories + ["--reader", "loopback", "--format", "json"])
    let report = try run.json()
    let scenarios = try #require(report["scenarios"] as? [[String: Any]])
    let files = try directories.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) }
      .filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".json") }
    #expect(scenarios.count == files.count)
    var isLate = false
    for scenario in scenarios {
      let name = try #require(scenario["name"] as? String)
      let taps = try #require(scenario["taps"] as? [[String: Any]])
      let isBudget = (scenario["file"] as? String)?.hasSuffix("latency-budget.yaml") == true
      #expect(taps.count == (isBudget ? 20 : 1), "\(name)")
      for tap in taps {
        let failures = try #require(tap["failures"] as? [[String: Any]])
        // On a busy machine a tap can exceed its time budget. Every other expectation must hold.
        #expect(failures.allSatisfy { ($0["element"] as? String)?.hasPrefix("time") == true }, "\(name): \(failures)")
        #expect(tap["result"] as? String == (failures.isEmpty ? "passed" : "failed"), "\(name)")
        if !failures.isEmpty { isLate = true }
      }
    }
    #expect(report["passed"] as? Bool == !isLate)
    #expect(run.code == (isLate ? 2 : 0), "\(run.errors)")
    let check = try test(directories + ["--check"])
    #expect(check.code == 0)
    #expect(check.output.split(separator: "\n").count == scenarios.count)
    #expect(check.output.contains("Latency budget, 12.34 EUR, 20 taps"))
  }

  /// The counts of a report in which all others are 0.
  static func counts(_ some: [String: Int]) -> [String: Int] {
    let names = ["passed", "failed", "errors", "warnings", "notApplicable", "notJudged", "notRun"]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, some[$0] ?? 0) })
      .merging(["total": some.values.reduce(0, +)]) { $1 }
  }

  @Test func `exit codes: 0 all passed, 2 one failed, 1 an error, which counts more; 64 wrong usage`() throws {
    let good = try scenario("outcome: approved", name: "good")
    let bad = try scenario("outcome: declined", name: "bad")
    let torn = try scratch.write(
      "torn.yaml",
      String(decoding: Fixtures.data("Scenarios/torn-card.yaml"), as: UTF8.self)
        .replacingOccurrences(of: "../Cards/", with: Fixtures.url("Cards").path + "/")
        .replacingOccurrences(of: "  error: [cardRemoved, transmissionFailed]\n", with: ""))
    let cases: [([String], Int32)] = [
      ([good], 0), ([good, bad], 2), ([good, bad, torn], 2), ([torn], 2), ([scratch.path("none.yaml")], 1),
      ([good, "--repeat", "0"], 64), ([good, "--repeat", "10001"], 64), ([good, "--timeout", "3601"], 64),
      ([good, "--format", "xml"], 64),
    ]
    for (arguments, code) in cases {
      #expect(try test(arguments + ["--reader", "loopback"]).code == code, "\(arguments)")
    }
    for arguments in [[], [good], [good, "--reader", "nowhere"]] { #expect(try test(arguments).code == 64) }
  }

  @Test func `a failure names the exchange, the element and both values; --fail-fast ends the run`()
    throws
  {
    let bad = try scenario("tags: {CTQ.CDCVM performed: false}, status: {GPO: 6985}", "repeat: 3")
    let run = try test([bad, "--reader", "loopback"])
    #expect(run.code == 2)
    let sentence =
      "exchange 3, GET PROCESSING OPTIONS: 9F6C Card Transaction Qualifiers (CTQ), byte 2 bit 8 CDCVM performed: "
      + "expected not set, got set in 0080"
    #expect(run.output.contains(sentence), "\(run.output)")
    #expect(run.output.contains("FAILED one, tap 3 of 3: approved, 5 exchanges"))
    #expect(run.output.contains("1 scenario: 0 passed, 1 failed, 0 errors; 3 taps: 3 failed"))
    let first = try test([bad, "--reader", "loopback", "--fail-fast", "--format", "json"])
    #expect(first.code == 2)
    let report = try first.json()
    #expect(
      report["counts"] as? [String: [String: Int]] == [
        "scenarios": Self.counts(["failed": 1]), "taps": Self.counts(["failed": 1, "notRun": 2]),
      ])
    let taps = ((report["scenarios"] as? [[String: Any]])?.first?["taps"] as? [[String: Any]])
    let failures = try #require(taps?.first?["failures"] as? [[String: Any]])
    #expect(failures.map { $0["command"] as? String } == Array(repeating: "GET PROCESSING OPTIONS", count: 2))
    #expect(failures.last?["tag"] as? String == "9F6C" && failures.last?["exchange"] as? Int == 3)
  }

  @Test func `all problems of all files are reported before any tap`() throws {
    let first = try scratch.write("a.yaml", "name: a\n")
    let second = try scenario("outcome: approved", "terminal: nowhere.json", name: "b")
    let third = try scratch.write("c.yaml", "{name: c, amount: 12.345, currency: EUR, expect: {cvm: CDCVM}}")
    let run = try test([first, second, third, "--reader", "loopback"])
    #expect(run.code == 2 && run.output.isEmpty)
    for text in ["a.yaml: the scenario has 3 problems", "nowhere.json cannot be read", "line 1, column 11, $.amount: "]
    {
      #expect(run.errors.contains(text), "\(run.errors)")
    }
    let json = try test([first, "--reader", "loopback", "--format", "json"])
    #expect(((try json.json()["error"] as? [String: Any])?["message"] as? String)?.contains("3 problems") == true)
    let empty = try test([scratch.path("."), "--reader", "loopback"])
    #expect(empty.code == 2)
  }

  @Test func `each tap is recorded, replays, and passes again as a recording; no recording is overwritten`() throws {
    let directory = scratch.path("recordings")
    let file = Self.file("mastercard-emv.yaml")
    let run = try test([file, "--reader", "loopback", "--repeat", "3", "--record", directory, "--format", "json"])
    #expect(run.code == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    #expect(names == (1...3).map { "01-mastercard-emv-000\($0).txt" })
    for name in names {
      #expect(try TapProgram.run("replay", "\(directory)/\(name)").code == 0)
      #expect(try test([file, "--reader", "replay:\(directory)/\(name)"]).code == 0)
    }
    let again = try test([file, "--reader", "loopback", "--record", directory])
    #expect(again.code == 1)
    #expect(again.errors.contains("01-mastercard-emv-0001.txt already"))
    let other = try test([Self.file("visa-low-value.yaml"), "--reader", "replay:\(directory)/\(names[0])"])
    #expect(other.code == 2, "\(other.output)")
  }

  @Test func `the data of cards that are not test cards are masked in results and recordings`() throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
      .replacingOccurrences(of: "4761739001010010", with: DisclosureTests.number)
    let card = try scratch.write("stranger.json", profile)
    let file = try scenario("tags: {5A: 00, 57: 00, 5F20: 00, 9F20: present}")
    for format in ["text", "json", "junit"] {
      let directory = scratch.path(format)
      let run = try test([file, "--reader", "loopback:\(card)", "--format", format, "--record", directory])
      #expect(run.code == 2)
      let recording = try String(contentsOfFile: "\(directory)/01-one-0001.txt", encoding: .utf8)
      for text in [run.output, run.errors, recording] {
        for secret in [DisclosureTests.number, DisclosureTests.name, "TEST/CARD"] { #expect(!text.contains(secret)) }
      }
      #expect(run.output.contains("400000******2009"), "\(run.output)")
    }
  }

  @Test(arguments: ["pcsc:x", "acr122:x"])
  func `a reader that is absent is an error before the first tap, without a prompt to tap`(_ reader: String) throws {
    let file = try scenario("outcome: approved", "repeat: 2")
    let run = try TapProgram.run(
      "test", file, "--reader", reader, environment: ["PCSCLITE_CSOCK_NAME": scratch.path("nowhere")])
    #expect(run.code == 3)
    #expect(run.output.contains("ERROR one, tap 1 of 2"), "\(run.output)")
    #expect(run.output.contains("2 taps: 1 error, 1 not made"), "\(run.output)")
    #expect(!run.errors.contains("Hold the card") && !run.errors.contains("away"), "\(run.errors)")
  }

  @Test(arguments: ["json", "junit", "text"])
  func `an interruption ends a test at once, with a report of the taps so far`(_ format: String) throws {
    let file = try scenario("outcome: approved", "repeat: 10000")
    let output = scratch.path("results")
    let recordings = scratch.path("recordings")
    let program = try TapProgram.start(
      ["test", file, "--reader", "loopback", "--format", format, "--output", output, "--record", recordings])
    #expect(
      program.wait(timeout: .seconds(300)) { _ in
        // A recording that is being written has a draft beside it.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: recordings)) ?? []
        return files.count { $0.hasSuffix(".txt") } > 20
      })
    program.signal(SIGINT)
    #expect(try program.finish(timeout: .seconds(60)) == .exited(130))
    let text = try String(contentsOfFile: output, encoding: .utf8)
    switch format {
    case "json":
      let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(report["interrupted"] as? Bool == true && report["passed"] as? Bool == false)
      let counts = try #require((report["counts"] as? [String: [String: Int]])?["taps"])
      let (passed, notRun) = (counts["passed"] ?? 0, counts["notRun"] ?? 0)
      #expect(passed >= 20 && passed + notRun == 10_000)
    case "junit":
      #expect(text.contains("taps not made\" type=\"interrupted\"/>") && text.hasSuffix("</testsuites>\n\n"))
    default: #expect(text.hasSuffix(" not made; interrupted\n"))
    }
  }

  @Test func `repeated taps have percentiles, in the text and in the report`() throws {
    let file = try scenario("outcome: approved", "repeat: 5")
    let run = try test([file, "--reader", "loopback", "--format", "json"])
    #expect(run.code == 0, "\(run.errors)")
    let scenarios = try #require(try run.json()["scenarios"] as? [[String: Any]])
    let latencies = try #require(scenarios.first?["latencies"] as? [String: Any])
    #expect(latencies["taps"] as? Int == 5 && latencies["unit"] as? String == "ns")
    let rows = try #require(latencies["commands"] as? [[String: Any]])
    #expect(
      rows.map { $0["command"] as? String } == [
        "SELECT PPSE", "SELECT AID", "GET PROCESSING OPTIONS", "READ RECORD", "whole tap",
      ])
    #expect(rows.map { $0["count"] as? Int } == [5, 5, 5, 10, 5])
    for row in rows {
      let figures = ["min_ns", "p50_ns", "max_ns"].map { row[$0] as? Int ?? -1 }
      #expect(figures[0] > 0 && figures == figures.sorted(), "\(row)")
    }
    let text = try test([file, "--reader", "loopback"])
    #expect(text.output.contains("\nwhole tap") && !text.output.contains("p99"), "\(text.output)")
  }

  @Test func `shells complete scenarios, options and formats`() throws {
    let run = try TapProgram.run("--generate-completion-script", "bash")
    #expect(run.code == 0)
    for text in ["junit", "--fail-fast", "--card-stays"] { #expect(run.output.contains(text)) }
  }
}
