import Documents
import EMVData
import EMVTerminal
import Fixtures
import Foundation
import TapScenarios
import Testing

/// Reading scenarios: everything that is wrong, at once, with line, column and path.
@Suite("Scenario files")
struct ScenarioParsingTests {
  func problems(_ text: String) -> [String] {
    do throws(ScenarioError) {
      _ = try TapScenario(parsing: Array(text.utf8))
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test func `every shipped scenario is read, and there are both kinds of file`() throws {
    let files = try Fixtures.names(in: "Scenarios", ending: ".yaml") + Fixtures.names(in: "Scenarios", ending: ".json")
    #expect(files.count >= 10 && files.contains { $0.hasSuffix(".json") })
    for file in files {
      let scenario = try TapScenario(parsing: Fixtures.data("Scenarios/\(file)"))
      #expect(!scenario.name.isEmpty && scenario.prompt != nil, "\(file)")
    }
  }

  @Test func `every key of a scenario is kept`() throws {
    let text = """
      name: All of it
      terminal: ../shop.json
      amount: 1.00
      currency: EUR
      date: 2026-02-28
      time: 09:05:00
      issuer: none
      prompt: "Tap: now"
      repeat: 10000
      timeout: 3600
      restarts: 20
      card: {file: card.json, verified: false}
      expect: {outcome: seePhone}
      """
    let scenario = try TapScenario(parsing: Array(text.utf8))
    #expect(scenario.terminal == .file("../shop.json"))
    #expect(scenario.date?.description == "2026-02-28")
    #expect(scenario.time?.description == "09:05:00")
    #expect(scenario.issuer == .none && scenario.prompt == "Tap: now")
    #expect(scenario.repeatCount == 10_000 && scenario.timeout == 3600 && scenario.restarts == 20)
    #expect(scenario.card.file == "card.json" && !scenario.card.isVerified)
    #expect(scenario.expectations.outcomes == [.seePhone])
  }

  @Test func `a scenario in JSON equals the one in YAML, also with tabs`() throws {
    let yaml = "name: A\namount: 1.00\ncurrency: EUR\nexpect:\n  outcome: [approved, declined]\n  exchanges: 5\n"
    let json = """
      {
      \t"name": "A", "amount": "1.00", "currency": "EUR",
      \t"expect": {"outcome": ["approved", "declined"], "exchanges": 5}
      }
      """
    let (first, second) = (try TapScenario(parsing: Array(yaml.utf8)), try TapScenario(parsing: Array(json.utf8)))
    #expect(first == second)
  }

  static let head = "name: A\namount: 1.00\ncurrency: EUR\n"

  /// A file and its problems; each problem is compared with the beginning of the sentence.
  static let broken: [(text: String, problems: [String])] = [
    ("", ["line 1, column 1, $: the file is empty"]),
    ("- a\n", ["line 1, column 1, $: a map of keys is needed, not a list"]),
    ("name: [\n", ["line 2, column 1, $: no YAML: "]),
    ("{\"name\": \"A\",\n \"amount\" \"1\"}", ["line 2, column 11, $: no YAML: "]),
    ("name: A\nname: B\n", ["line 1, column 1, $: a key stands here twice: name"]),
    (
      "expect: {tags: {95: present, '95': absent}}\n",
      ["line 1, column 30, $.expect.tags.95: a key stands here twice"]
    ),
    ("a: &x [1]\nb: *x\n", ["line 1, column 4, $: \"&\" before a word is an anchor"]),
    ("a: *x\n", ["line 1, column 4, $: no YAML: "]),
    ("? {a: b}\n: c\n", ["line 1, column 3, $: a key must be a text"]),
    (
      "title: A\namount: [1]\n",
      [
        "line 1, column 1, $.name: text is missing", "line 1, column 1, $.expect: a map of keys is missing",
        "line 1, column 1, $.currency: text is missing",
        "line 1, column 1, $.title: no such key; there are name, description,",
        "line 2, column 1, $.amount: text is needed, not a list",
      ]
    ),
    (
      head + "date: 2026-02-30\ntime: 24:00:00\nissuer: bank\nrepeat: 0\ntimeout: 3601\nrestarts: 21\nexpect: {}\n",
      [
        "line 4, column 1, $.date: \"2026-02-30\" is no date such as 2026-01-31",
        "line 5, column 1, $.time: \"24:00:00\" is no time of day",
        "line 6, column 1, $.issuer: \"bank\" is not one of test, none",
        "line 7, column 1, $.repeat: 0: the range is 1...10000",
        "line 8, column 1, $.timeout: 3601: the range is 1...3600",
        "line 9, column 1, $.restarts: 21: the range is 0...20",
        "line 10, column 1, $.expect: nothing is expected",
      ]
    ),
    (
      head + "expect:\n  tags: {}\n  status: {}\n  milliseconds: {}\n  exchanges: {}\n",
      [
        "line 5, column 3, $.expect.tags: nothing is asked here",
        "line 6, column 3, $.expect.status: nothing is asked here",
        "line 7, column 3, $.expect.milliseconds: nothing is asked here",
        "line 8, column 3, $.expect.exchanges: nothing is asked here",
      ]
    ),
    (
      head + "expect:\n  tags: {82: {bits: {}}}\n  milliseconds: {whole tap: 5, wholeTap: 6}\n",
      [
        "line 5, column 15, $.expect.tags.82.bits: nothing is asked here",
        "line 6, column 32, $.expect.milliseconds.wholeTap: the time of the whole tap is there already",
      ]
    ),
    (
      head + "issuer: {delay: 60001}\nexpect:\n  display: [Hello]\n  parameters: {holdTime: 1300 ms}\n",
      [
        "line 4, column 10, $.issuer.delay: 60001: the range is 0...60000",
        "line 6, column 13, $.expect.display[0]: \"Hello\" is not one of Approved, ",
        "line 7, column 16, $.expect.parameters.holdTime: no such parameter; there are start, onlineResponse,",
      ]
    ),
    (head + "repeat: 10001\nexpect: {cvm: CDCVM}\n", ["line 4, column 1, $.repeat: 10001: the range is 1...10000"]),
    (
      head + "card: {verified: yes, faults: true, verified2: 1}\nexpect: {cvm: CDCVM}\n",
      [
        "line 4, column 8, $.card.verified: true or false is needed, not \"yes\"",
        "line 4, column 37, $.card.verified2: no such key; did you mean verified? there are file, verified, faults",
      ]
    ),
    (
      head + "expect:\n  outcome: aproved\n  message: [Hello]\n  cvm: PIN\n  cryptogram: MAC\n  application: A0\n"
        + "  error: unplugged\n  exchanges: {least: 3, most: 2}\n  outcomes: approved\n",
      [
        "line 5, column 3, $.expect.outcome: \"aproved\" is not one of approved, declined, online request,",
        "line 6, column 13, $.expect.message[0]: \"Hello\" is not one of Approved, ",
        "line 7, column 3, $.expect.cvm: \"PIN\" is not one of not applicable, no CVM, online PIN, CDCVM, signature",
        "line 8, column 3, $.expect.cryptogram: \"MAC\" is not one of ARQC, TC, AAC, CVC3, none",
        "line 9, column 3, $.expect.application: 5 to 16 bytes in hexadecimal are needed, not \"A0\"",
        "line 10, column 3, $.expect.error: \"unplugged\" is not one of cardRemoved, ",
        "line 11, column 3, $.expect.exchanges: \"least\" is 3 and \"most\" is 2",
        "line 12, column 3, $.expect.outcomes: no such key",
      ]
    ),
    (
      head + "expect:\n  status:\n    SELECT: 9000\n    GPO: 900\n    READ RECORD 0: 9000\n    GPO 2: [xx00, 6Cxx]\n"
        + "  milliseconds:\n    GPO: 0\n    whole tap: 600001\n    every command: 1e3\n",
      [
        "line 6, column 5, $.expect.status.SELECT: no such command",
        "line 7, column 5, $.expect.status.GPO: \"900\" is no status word",
        "line 8, column 5, $.expect.status.READ RECORD 0: no such command",
        "line 9, column 13, $.expect.status.GPO 2[0]: \"xx00\" is no status word",
        "line 11, column 5, $.expect.milliseconds.GPO: milliseconds are needed, above 0 and up to 600000, not \"0\"",
        "line 12, column 5, $.expect.milliseconds.whole tap: milliseconds are needed, above 0 and up to 600000, not \"600001\"",
        "line 13, column 5, $.expect.milliseconds.every command: milliseconds are needed, above 0 and up to 600000, not \"1e3\"",
      ]
    ),
    (
      head + "expect:\n  tags:\n    9F: present\n    FOO: 00\n    9F26: 0\n    9F6C: [00]\n    TVR.no such bit: true\n"
        + "    TVR.expired application: 1\n    TVR.relay resistance protocol: 4\n    9F27: {mask: 80}\n    9F36: {}\n"
        + "    9F37: {lenght: 4}\n",
      [
        "line 6, column 5, $.expect.tags.9F: no such data element",
        "line 7, column 5, $.expect.tags.FOO: no such data element",
        "line 8, column 5, $.expect.tags.9F26: 0 to 255 bytes in hexadecimal are needed, not \"0\"",
        "line 9, column 5, $.expect.tags.9F6C: hexadecimal, present, absent or a map is needed, not a list",
        "line 10, column 5, $.expect.tags.TVR.no such bit: 95 has no bit of this name",
        "line 11, column 5, $.expect.tags.TVR.expired application: true or false is needed, not \"1\"",
        "line 12, column 5, $.expect.tags.TVR.relay resistance protocol: 0 to 3, or one of not perf",
        "line 13, column 5, $.expect.tags.9F27: \"mask\" needs \"equals\" with as many bytes",
        "line 14, column 5, $.expect.tags.9F36: nothing is asked of 9F36",
        "line 15, column 12, $.expect.tags.9F37.lenght: no such key",
      ]
    ),
    (
      head + "terminal:\n  name: x\n  merchant:\n    name: y\n    categoryCode: 5999\nexpect: {cvm: CDCVM}\n",
      [
        "line 4, column 1, $.terminal.countryCode: text is missing",
        "line 4, column 1, $.terminal.terminalType: text is missing",
        "line 4, column 1, $.terminal.capabilities: text is missing",
        "line 4, column 1, $.terminal.currencies: a list is missing",
        "line 4, column 1, $.terminal.applications: a list is missing",
        "line 8, column 5, $.terminal.merchant.categoryCode: text is needed, not a whole number",
      ]
    ),
  ]

  @Test(arguments: broken.indices)
  func `all problems together, each with line, column and path`(_ row: Int) {
    let (text, expected) = Self.broken[row]
    let found = problems(text)
    #expect(found.count == expected.count, "\(found)")
    for (one, other) in zip(found, expected) { #expect(one.hasPrefix(other), "\(one)") }
  }

  @Test func `a command without a meaning is answered with each known name once`() throws {
    let problem = try #require(problems(Self.head + "expect: {status: {SELECT: 9000}}\n").first)
    let list = try #require(problem.split(separator: "there are ").last)
    let names = list.components(separatedBy: ", ")
    #expect(Set(names).count == names.count && names.contains("GENERATE AC"), "\(names)")
  }

  @Test func `a scenario beyond the limits of size, depth or name, or that is not UTF-8, is refused`() {
    let fits = Self.head + "expect: {cvm: CDCVM}\n"
    let full = fits + "#" + String(repeating: "x", count: 262_144 - fits.utf8.count - 1)
    #expect(problems(full) == [])
    #expect(problems(full + "x") == ["line 1, column 1, $: the file has 262145 bytes: the limit is 262144"])
    for (depth, reason) in [(15, "text is needed, not a list"), (16, "the limit is 16 levels")] {
      let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(problems(fits + "prompt: \(nested)\n").map { $0.hasSuffix(reason) } == [true])
    }
    let name = String(repeating: "n", count: 200)
    #expect(problems(fits.replacing("name: A", with: "name: \(name)")) == [])
    #expect(problems(fits.replacing("name: A", with: "name: \(name)n")).count == 1)
    #expect(throws: ScenarioError.self) { try TapScenario(parsing: [0x6E, 0xFF]) }
  }

  @Test(.timeLimit(.minutes(20)))
  func `bombs are refused at once`() {
    var laughs = "a0: &a0 [x, x]\n"
    for level in 1...60 { laughs += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    #expect(problems(laughs + "? *a60\n: x\n").count == 1)
    #expect(problems(String(repeating: "[", count: 200_000)).count == 1)
    #expect(problems(String(repeating: "- ", count: 100_000)).count == 1)
    #expect(problems(String(repeating: "? ", count: 100_000)).count == 1)
    #expect(problems(String(repeating: "{a: ", count: 900) + "b" + String(repeating: "}", count: 900)).count == 1)
  }

  @Test(arguments: 0..<8)
  func `no bytes can trap the reader`(_ seed: Int) throws {
    let files = try ["visa-low-value.yaml", "mastercard-only-shop.yaml", "co-badged-choice.json"]
      .map { try [UInt8](Fixtures.data("Scenarios/\($0)")) }
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for round in 0..<150 {
      var octets = files[round % files.count]
      for _ in 0...next(4) {
        let place = next(octets.count)
        switch next(3) {
        case 0: octets[place] = UInt8(next(256))
        case 1: octets.removeSubrange(place..<min(octets.count, place + next(40) + 1))
        default: octets.insert(contentsOf: octets[next(octets.count)...].prefix(next(40)), at: place)
        }
        if octets.isEmpty { octets = [0x20] }
      }
      _ = try? TapScenario(parsing: octets)
    }
  }
}
