import Fixtures
import Foundation
import TestSupport
import Testing

/// Which scenarios `tap test` runs, and how much it prints.
@Suite("Selection and output of tap test", .blocks, .timeLimit(.minutes(20)))
struct ScenarioSelectionTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func scenario(_ name: String, _ expect: String, _ further: String = "") throws -> String {
    try scratch.write(
      "\(name).yaml",
      "name: \(name)\namount: 12.34\ncurrency: EUR\ncard: {file: \(TapProgram.card("visa-cvn18"))}\n\(further)\n"
        + "expect: {\(expect)}\n")
  }

  func test(_ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["test"] + arguments))
  }

  @Test func `-k selects by name and file name, for --list, --check and a run`() throws {
    let files = try ["visa low", "visa high", "amex low"].map { try scenario($0, "outcome: approved") }
    let list = try test(files + ["--list", "-k", "visa and not high"])
    #expect(list.code == 0 && list.output == "\(files[0]): visa low\n", "\(list.errors)")
    let check = try test(files + ["--check", "-k", "'amex low' or high"])
    #expect(check.output.split(separator: "\n").map { $0.hasSuffix("12.34 EUR, 1 tap") } == [true, true])
    let run = try test(files + ["--reader", "loopback", "-k", "low"])
    #expect(run.code == 0 && run.output.contains("2 scenarios: 2 passed, 0 failed, 0 errors; 2 taps"), "\(run.output)")
    #expect(!run.output.contains("visa high"))
    let none = try test(files + ["--reader", "loopback", "-k", "maestro"])
    #expect(none.code == 2 && none.errors.contains("-k 'maestro' selects none of 3 scenarios"), "\(none.errors)")
  }

  @Test func `a directory leaves out card profiles, and names the directories below it that are not included`() throws {
    let folder = scratch.path("")
    _ = try scenario("above", "outcome: approved")
    try FileManager.default.copyItem(atPath: TapProgram.card("visa-cvn18"), toPath: scratch.path("card.json"))
    try FileManager.default.createDirectory(atPath: scratch.path("below"), withIntermediateDirectories: false)
    try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: false)
    _ = try scenario("below/other", "outcome: approved")
    let run = try test([folder, "--reader", "loopback", "-q"])
    #expect(run.code == 0 && run.output.hasPrefix("1 scenario: 1 passed"), "\(run.output)\(run.errors)")
    let note = run.errors.split(separator: "\n").filter { $0.hasPrefix("note: not included, name them too: ") }
    #expect(note.count == 1 && note[0].hasSuffix("/below") && !note[0].contains("empty"), "\(run.errors)")
    let both = try test([folder, scratch.path("below"), "--reader", "loopback", "-q"])
    #expect(both.output.hasPrefix("2 scenarios: 2 passed"), "\(both.output)\(both.errors)")
    let profile = try test([scratch.path("card.json"), "--reader", "loopback"])
    #expect(profile.code == 2 && profile.errors.contains("the scenario has"), "\(profile.errors)")
  }

  @Test func `--quiet prints taps that did not pass and the sums only`() throws {
    let files = try [scenario("good", "outcome: approved", "repeat: 3"), scenario("bad", "outcome: declined")]
    let run = try test(files + ["--reader", "loopback", "-q"])
    #expect(run.code == 2)
    #expect(!run.output.contains("good") && !run.output.contains("p50"), "\(run.output)")
    #expect(run.output.contains("FAILED bad, tap 1 of 1"))
    #expect(run.output.hasSuffix("2 scenarios: 1 passed, 1 failed, 0 errors; 4 taps: 3 passed, 1 failed\n"))
    let file = scratch.path("results.txt")
    _ = try test(files + ["--reader", "loopback", "-q", "-o", file])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("FAILED bad") && !text.contains("good"), "\(text)")
  }

  @Test func `--verbose shows the bytes and the meaning of the exchange that a failure names, or of all`() throws {
    let named = try test([scenario("named", "status: {GPO: 6985}"), "--reader", "loopback", "-v"])
    #expect(named.code == 2)
    #expect(named.output.contains("3. GET PROCESSING OPTIONS  9000"), "\(named.output)")
    #expect(named.output.contains("> 80A80000") && named.output.contains("9F36"), "\(named.output)")
    #expect(!named.output.contains("1. SELECT") && !named.output.contains("4. READ RECORD"), "\(named.output)")
    let all = try test([scenario("all", "outcome: declined"), "--reader", "loopback", "-v"])
    for number in 1...5 { #expect(all.output.contains("\n     \(number). "), "\(all.output)") }
    let passed = try test([scenario("passed", "outcome: approved"), "--reader", "loopback", "-v"])
    #expect(!passed.output.contains("1. SELECT"), "\(passed.output)")
    let junit = try test([scenario("named", "status: {GPO: 6985}"), "--reader", "loopback", "-v", "--format", "junit"])
    #expect(junit.output.contains("3. GET PROCESSING OPTIONS  9000"), "\(junit.output)")
  }

  @Test func `--verbose masks the data of cards that are not test cards`() throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
      .replacingOccurrences(of: "4761739001010010", with: DisclosureTests.number)
    let card = try scratch.write("stranger.json", profile)
    let run = try test([scenario("all", "outcome: declined"), "--reader", "loopback:\(card)", "-v"])
    #expect(run.output.contains("3. GET PROCESSING OPTIONS"), "\(run.output)")
    for secret in [DisclosureTests.number, DisclosureTests.name, "TEST/CARD"] { #expect(!run.output.contains(secret)) }
  }

  @Test func `--slowest lists so many taps of all scenarios, the slowest first`() throws {
    let files = try [scenario("one", "outcome: approved", "repeat: 4"), scenario("two", "outcome: approved")]
    let run = try test(files + ["--reader", "loopback", "--slowest", "3"])
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.components(separatedBy: "slowest taps\n").last?.split(separator: "\n").prefix(3) ?? []
    let units = ["ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9]
    let times = lines.map { line in
      let words = line.split(separator: " ")
      return (Double(words[0]) ?? -1) * (units[String(words[1])] ?? -1)
    }
    #expect(times.count == 3 && times.allSatisfy { $0 > 0 } && times == times.sorted(by: >), "\(run.output)")
    #expect(lines.allSatisfy { $0.contains("one, tap ") || $0.hasSuffix("two, tap 1 of 1") }, "\(lines)")
  }

  @Test func `a directory of recordings gives each scenario its own, and other recordings to every scenario`() throws {
    let recordings = scratch.path("recordings")
    let files = ["visa-low-value.yaml", "mastercard-emv.yaml"].map(ScenarioTests.file)
    let made = try test(files + ["--reader", "loopback", "--repeat", "3", "--record", recordings])
    #expect(made.code == 0, "\(made.output)\(made.errors)")
    let run = try test(files + ["--reader", "replay:\(recordings)"])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("2 scenarios: 2 passed, 0 failed, 0 errors; 6 taps"), "\(run.output)")
    let fewer = try test(files + ["--reader", "replay:\(recordings)", "--repeat", "2"])
    #expect(fewer.output.contains("; 4 taps\n"), "\(fewer.output)")
    let more = try test(files + ["--reader", "replay:\(recordings)", "--repeat", "4"])
    #expect(more.code == 64 && more.errors.contains("--repeat 4: there are 3 recordings of "), "\(more.errors)")
    let other = try test([ScenarioTests.file("locked-phone.yaml"), "--reader", "replay:\(recordings)"])
    #expect(other.code == 2 && other.output.contains("has no recording of "), "\(other.output)\(other.errors)")
    // Recordings with other names are taken by every scenario, each with its own terminal and moment.
    let plain = scratch.path("plain")
    try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    for number in 1...3 {
      try FileManager.default.copyItem(
        atPath: "\(recordings)/01-visa-low-value-000\(number).txt", toPath: "\(plain)/tap \(number).txt")
    }
    let every = try test([files[0], "--reader", "replay:\(plain)"])
    #expect(every.code == 0 && every.output.contains("tap 3 of 3"), "\(every.output)\(every.errors)")
    let empty = scratch.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let nothing = try test([files[0], "--reader", "replay:\(empty)"])
    #expect(nothing.code == 1 && nothing.errors.contains("empty has no transcript"), "\(nothing.errors)")
  }

  @Test func `a payment that may block the card is made at a real reader with --destructive only`() throws {
    let file = Fixtures.url("Scenarios/Issuer/block-card.yaml").path
    let real = try test([file, "--reader", "pcsc:none"])
    #expect(real.code == 2, "\(real.output)")
    #expect(real.output.contains("NOT APPLICABLE 1 scenario: the scenario spends many uses or may block the card"))
    let asked = try test([file, "--reader", "pcsc:none", "--destructive", "--timeout", "1"])
    #expect(!asked.output.contains("NOT APPLICABLE"), "\(asked.output)\(asked.errors)")
    let own = try test([file, "--reader", "loopback"])
    #expect(own.code == 0 && own.output.contains("1 passed"), "\(own.output)\(own.errors)")
  }

  @Test func `the problems of a scenario, its terminal and its amount come at once, with line and column`() throws {
    let file = try scratch.write(
      "wrong.yaml", "name: a\namount: 12.345\ncurrency: EUR\nterminal: nowhere.json\nexpect: {cvm: x, outcome: y}\n")
    let other = try scratch.write("amount.yaml", "{name: b, amount: 1.234, currency: EUR, expect: {cvm: CDCVM}}")
    let run = try test([scratch.path("nowhere"), file, other, "--check"])
    #expect(run.code == 1)
    for text in [
      "nowhere cannot be read", "the scenario has 3 problems", "line 4, column 1, $.terminal: ",
      "line 5, column 10, $.expect.cvm: ", "line 5, column 18, $.expect.outcome: ", "line 1, column 11, $.amount: ",
    ] { #expect(run.errors.contains(text), "\(text): \(run.errors)") }
  }
}
