import Documents
import Fixtures
import Foundation
import JSON
import TapScenarios
import TestSupport
import Testing

/// Files with the capabilities of terminals, and the scenarios that apply to them.
@Suite("Capabilities of a terminal")
struct CapabilitiesTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func capabilities(_ name: String) throws -> TestedCapabilities {
    try TestedCapabilities(parsing: [UInt8](Fixtures.data("Capabilities/\(name).yaml")))
  }

  func scenario(_ amount: String, card: String = "visa-cvn18", currency: String = "EUR") throws -> ScenarioFile {
    let path = try scratch.write(
      "\(UUID()).yaml",
      """
      {role: card, id: C-1, name: limit, rule: EMV, amount: \(amount), currency: \(currency),
       card: {file: \(Fixtures.url("Cards/\(card).json").path)}, expect: {shown: approved}}
      """)
    return try ScenarioFile(path, terminal: [UInt8](Fixtures.data("Terminals/all-kernels.json")))
  }

  @Test func `the shipped capabilities of this project's terminal make every scenario of the pack apply`() throws {
    let capabilities = try Self.capabilities("all-kernels")
    for file in try PackFolder.terminal.files() {
      #expect(file.reasonNotApplicable(at: capabilities) == nil, "\(file.path)")
    }
  }

  @Test func `a terminal with one kernel leaves the scenarios of the other cards out, with the reason`() throws {
    let capabilities = try Self.capabilities("visa-only")
    #expect(try scenario("1").reasonNotApplicable(at: capabilities) == nil)
    #expect(
      try scenario("1", card: "mastercard-cvn16").reasonNotApplicable(at: capabilities)
        == "the terminal has no application for A0000000041010")
    #expect(
      try scenario("1", currency: "USD").reasonNotApplicable(at: capabilities) == "the terminal does not take USD")
  }

  @Test func `a terminal without a display leaves scenarios out that ask what was shown`() throws {
    let text = String(decoding: try Fixtures.data("Capabilities/visa-only.yaml"), as: UTF8.self) + "display: false\n"
    let capabilities = try TestedCapabilities(parsing: Array(text.utf8))
    #expect(try scenario("1").reasonNotApplicable(at: capabilities) == "the terminal has no display")
  }

  @Test(arguments: [
    ("{above: cvmLimit}", "25.01"), ("{below: cvmLimit}", "24.99"), ("{at: cvmLimit}", "25.00"),
    ("{at: contactlessLimit}", "100.00"), ("{below: contactlessLimit}", "99.99"), ("{above: floorLimit}", "0.01"),
  ]) func `an amount beside a limit is one minor unit away, or the limit`(
    _ amount: String, _ expected: String
  ) async throws {
    let trial = try await PresentedTrial(
      scenario(amount), taps: 1, capabilities: Self.capabilities("visa-only"), waiting: .seconds(1)
    ) { throw ScenarioFileErrorForTests() }
    #expect(trial.amount(ofTap: 1) == expected)
  }

  struct ScenarioFileErrorForTests: Error {}

  @Test func `an amount below a limit of zero, and one beside a limit that is not named, do not apply`() throws {
    let capabilities = try Self.capabilities("visa-only")
    #expect(
      try scenario("{below: floorLimit}").reasonNotApplicable(at: capabilities)
        == "no amount lies below the floor limit of 0.00 EUR")
    let text = String(decoding: try Fixtures.data("Capabilities/visa-only.yaml"), as: UTF8.self)
    let without = try TestedCapabilities(parsing: Array(text.replacing(", cvm: \"25.00\"", with: "").utf8))
    #expect(
      try scenario("{above: cvmLimit}").reasonNotApplicable(at: without)
        == "the terminal has no CVM limit in EUR for the card")
    let low = try TestedCapabilities(parsing: Array(text.replacing("100.00", with: "25.00").utf8))
    #expect(
      try scenario("{above: cvmLimit}").reasonNotApplicable(at: low)
        == "an amount above the CVM limit reaches the contactless limit in EUR")
  }

  @Test(arguments: [
    (
      "  - {provider: \"F000000001\", index: \"01\"}\n", "the terminal does not have the authority key 01 of F000000001"
    ),
    (
      "authorityKeys:\n  - {provider: \"F000000001\", index: \"01\"}\n  - {provider: \"F000000001\", index: \"02\"}\n",
      "whether the terminal has the authority key 01 of F000000001 is not known: authorityKeys of --capabilities FILE names it"
    ),
  ]) func `offline authentication is not judged at a terminal without the key of the authority`(
    _ removed: String, _ reason: String
  ) throws {
    let text = String(decoding: try Fixtures.data("Capabilities/all-kernels.yaml"), as: UTF8.self)
    #expect(text.contains(removed))
    let without = try TestedCapabilities(parsing: Array(text.replacing(removed, with: "").utf8))
    let file = try #require(try PackFolder.terminal.files().first { $0.path.hasSuffix("fdda-card-hash.yaml") })
    #expect(file.reasonNotApplicable(at: without) == reason)
  }

  @Test func `without capabilities an amount beside a limit does not apply at a link`() async throws {
    await #expect(throws: ScenarioNotApplicable.self) {
      _ = try await PresentedTrial(scenario("{above: cvmLimit}"), taps: 1, waiting: .seconds(1)) {
        throw ScenarioFileErrorForTests()
      }
    }
  }

  @Test func `a card that leaves within a response does not apply at a link that cannot lose it there`() async throws {
    let path = try scratch.write(
      "cut.yaml",
      """
      {role: card, id: C-2, name: cut, rule: EMV, amount: 1, currency: EUR,
       card: {file: \(Fixtures.url("Cards/visa-cvn18.json").path), leavesAfter: 3, leavesAfterByte: 20},
       expect: {presentations: 2}}
      """)
    let file = try ScenarioFile(path, terminal: [UInt8](Fixtures.data("Terminals/all-kernels.json")))
    await #expect(throws: ScenarioNotApplicable.self) {
      _ = try await PresentedTrial(file, taps: 1, waiting: .seconds(1)) { throw ScenarioFileErrorForTests() }
    }
    _ = try await PresentedTrial(
      file, taps: 1, waiting: .seconds(1), losesPartOfResponse: true
    ) { throw ScenarioFileErrorForTests() }
  }

  @Test func `a scenario about the configured qualifiers needs a terminal whose qualifiers are known`() throws {
    let file = try #require(PackFolder.terminal.filesByID()["K3-11"])
    let text = String(decoding: try Fixtures.data("Capabilities/visa-only.yaml"), as: UTF8.self)
    #expect(file.reasonNotApplicable(at: try TestedCapabilities(parsing: Array(text.utf8))) == nil)
    let without = text.split(separator: "\n").filter { !$0.contains("qualifiers") }.joined(separator: "\n")
    #expect(
      file.reasonNotApplicable(at: try TestedCapabilities(parsing: Array(without.utf8)))
        == "the terminal's tag 9F66 is not known: --capabilities FILE names it")
  }

  @Test func `everything that is wrong is reported at once, with line and column`() {
    let text = """
      product: ""
      kernels: [{number: 3}, {nummer: 2}]
      currencies: [EUR, eur]
      verificationMethods: [fingerprint]
      authorityKeys: [{provider: A0, index: "01"}]
      applications:
        - aids: [A0]
          kernel: 4
          qualifiers: "36"
          limits:
            - {currency: USD, cvm: many}
            - {currency: EUR, cvm: 50, floor: -1}
      display: maybe
      """
    let error = #expect(throws: TestedCapabilitiesError.self) { try TestedCapabilities(parsing: Array(text.utf8)) }
    let places = error?.problems.map { "\($0.position.line):\($0.position.column) \($0.path)" } ?? []
    #expect(
      places == [
        "1:1 $.product", "2:24 $.kernels[1].number", "2:25 $.kernels[1].nummer", "3:19 $.currencies[1]",
        "4:23 $.verificationMethods[0]", "5:18 $.authorityKeys[0].provider", "7:12 $.applications[0].aids[0]",
        "8:5 $.applications[0].kernel", "9:5 $.applications[0].qualifiers",
        "11:10 $.applications[0].limits[0].currency", "11:25 $.applications[0].limits[0].cvm",
        "12:34 $.applications[0].limits[1].floor", "13:1 $.display",
      ], "\(error?.description ?? "")")
  }

  @Test func `a file that is no map, and one without its keys, is refused`() {
    for text in ["", "[]", "product: x", "a: &b 1"] {
      #expect(throws: TestedCapabilitiesError.self) { try TestedCapabilities(parsing: Array(text.utf8)) }
    }
  }

  @Test func `an amount that names no limit, or a limit that does not exist, is a problem of the scenario`() {
    for amount in ["{over: cvmLimit}", "{above: limit}", "{above: cvmLimit, below: cvmLimit}", "{}"] {
      #expect(throws: ScenarioFileError.self) { try scenario(amount) }
    }
  }
}
