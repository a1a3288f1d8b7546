import Documents
import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

@testable import TapScenarios

/// The schema of scenarios, their table of keys and their templates, as the program prints them.
@Suite("The schema of scenarios", .blocks, .timeLimit(.minutes(20)))
struct ScenarioSchemaTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let schema = Fixtures.url("Schemas/scenario.schema.json").path

  /// All scenarios in the folders of Fixtures.
  static func files() -> [String] {
    ["Scenarios", "CardTests", "TerminalTests"].flatMap { folder in
      let names = FileManager.default.enumerator(atPath: Fixtures.url(folder).path)?.compactMap { $0 as? String } ?? []
      let scenarios = names.filter { ($0.hasSuffix(".yaml") || $0.hasSuffix(".json")) && !$0.contains("Cards/") }
      return scenarios.sorted().map { "\(folder)/\($0)" }
    }
  }

  static func document(_ name: String) throws -> JSONValue {
    try JSONValue(yaml: [UInt8](Fixtures.data(name)))
  }

  /// The documents that a validator of another project refuses, each with the places of its errors.
  private func refused(_ documents: [(name: String, value: JSONValue)]) throws -> String {
    let paths = try documents.map { try scratch.write("\($0.name.replacing("/", with: "-")).json", $0.value.compact) }
    let run = try ProgramRun(
      OracleTests().python(), [OracleTests.script("check_schema.py"), Self.schema] + paths)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }

  @Test func `the schema and the table in Fixtures are those that the program prints`() throws {
    let schema = try TapProgram.run("scenario", "schema")
    #expect(try schema.code == 0 && schema.output == String(contentsOfFile: Self.schema, encoding: .utf8), "tools/keys")
    #expect(try TapProgram.run("scenario", "keys", "--format", "schema").output == schema.output)
    let table = try TapProgram.run("scenario", "keys", "--format", "markdown")
    let readme = try String(decoding: Fixtures.data("Scenarios/README.md"), as: UTF8.self)
    #expect(readme.contains("<!-- keys -->\n\(table.output)<!-- end of keys -->\n"), "run tools/keys")
    let text = try TapProgram.run("scenario", "keys")
    #expect(
      text.output.contains("name: text, 1...200 characters, required\n  The name of the test.\n"), "\(text.output)")
  }

  @Test func `the schema accepts every scenario in Fixtures`() throws {
    let documents = try Self.files().map { (name: $0, value: try Self.document($0)) }
    #expect(documents.count > 300)
    #expect(try refused(documents) == "")
  }

  /// Changes of a scenario: path, value, and the place that the schema names.
  static let mistakes: [(file: String, path: String, value: JSONValue?, place: String)] = [
    ("Scenarios/visa-low-value.yaml", "name", nil, ""), ("Scenarios/visa-low-value.yaml", "expect", nil, ""),
    ("Scenarios/visa-low-value.yaml", "expect", [:], "expect"), ("Scenarios/visa-low-value.yaml", "expet", "x", ""),
    ("Scenarios/visa-low-value.yaml", "expect.outcome", "aproved", "expect/outcome"),
    ("Scenarios/visa-low-value.yaml", "expect.shown", "approved", "expect"),
    ("Scenarios/visa-low-value.yaml", "repeat", 10_001, "repeat"),
    ("Scenarios/visa-low-value.yaml", "currency", "EURO", "currency"),
    ("Scenarios/visa-low-value.yaml", "card.verified", "maybe", "card/verified"),
    ("Scenarios/visa-low-value.yaml", "role", "terminl", "role"),
    ("CardTests/Directory/first.yaml", "id", nil, ""), ("CardTests/Directory/first.yaml", "steps", [], "steps"),
    ("CardTests/Directory/first.yaml", "steps[0].wait", 0, "steps/0/wait"),
    ("CardTests/Directory/first.yaml", "amount", "1.00", ""),
    ("CardTests/Directory/first.yaml", "severity", "fatal", "severity"),
  ]

  @Test(arguments: mistakes.indices)
  func `the schema names the place of a mistake, and the program finds it too`(_ row: Int) throws {
    let mistake = Self.mistakes[row]
    let document = try Self.document(mistake.file).setting(mistake.path, to: mistake.value)
    let places = try refused([("mistake", document)]).split(separator: "\n").first ?? ""
    #expect(places.hasSuffix(".json \(mistake.place)"), "\(mistake.path): \(places)")
    #expect(throws: ScenarioError.self) { try TapScenario(parsing: Array(document.compact.utf8)) }
  }

  private static func problems(_ document: JSONValue) -> [DocumentProblem] {
    do throws(ScenarioError) {
      _ = try TapScenario(parsing: Array(document.compact.utf8))
      return []
    } catch { return error.problems }
  }

  @Test(arguments: files())
  func `the reader asks for exactly the declared keys of each map`(_ file: String) throws {
    let document = try Self.document(file)
    let shape = try #require(TapScenario.keys.first { $0.isForm(of: document) })
    // The map of an amount has one key only, so the reader names no further one.
    for place in DeclaredKeys(shape.keys, of: document).places where place.path != "amount" {
      let path = place.path.isEmpty ? "zzzzzz" : place.path + ".zzzzzz"
      let found = Self.problems(document.setting(path, to: true)).first { $0.path == "$.\(path)" }
      let asked = try #require(found?.reason.split(separator: "there are ").last, "\(path)")
      var (names, declared) = (Set(asked.split(separator: ", ").map(String.init)), Set(place.keys.map(\.name)))
      // Steps make a scenario another one.
      if place.path.isEmpty { (names, declared) = (names.subtracting(["steps"]), declared.subtracting(["steps"])) }
      #expect(names == declared, "\(file), \(place.path)")
    }
  }

  @Test(arguments: ["payment", "steps", "terminal"])
  func `a new scenario passes at the loopback, and the schema accepts it`(_ kind: String) throws {
    let (file, card) = (scratch.path("new.yaml"), scratch.path("card.json"))
    let new = try TapProgram.run("scenario", "new", "--judges", kind, "--name", "A \"quoted\" name", "-o", file)
    #expect(new.code == 0 && new.output.isEmpty, "\(new.errors)")
    let place = kind == "terminal" ? "--link loopback" : "--reader loopback"
    #expect(
      new.errors == """
        Wrote \(file). Next:
          tap card new --scheme visa -o \(card)
          tap test \(file) \(place)

        """)
    #expect(try TapProgram.run("card", "new", "--scheme", "visa", "-o", card).code == 0)
    let run = try TapProgram.finish(
      TapProgram.start(["test", file] + place.split(separator: " ").map(String.init)))
    #expect(run.code == 0 && run.output.contains("1 scenario: 1 passed"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("A \"quoted\" name"), "\(run.output)")
    let document = try JSONValue(yaml: Array(String(contentsOfFile: file, encoding: .utf8).utf8))
    #expect(try refused([("new", document)]) == "")
    let again = try TapProgram.run("scenario", "new", "-o", file)
    #expect(again.code == 1 && again.errors.contains("--force"), "\(again.errors)")
  }

  @Test func `a name that no scenario has is wrong usage`() throws {
    let run = try TapProgram.run("scenario", "new", "--name", "")
    #expect(run.code == 64 && run.errors.contains("1 to 200 characters"), "\(run.errors)")
  }
}

extension ProfileKey.Shape {
  /// Whether a document has this form, and none of those before it.
  fileprivate func isForm(of document: JSONValue) -> Bool {
    switch condition {
    case .value(let key, let value): document[key] == value
    case .present(let key): document[key] != nil
    case .otherwise: true
    }
  }
}
