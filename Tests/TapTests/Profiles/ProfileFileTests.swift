import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// The files that are generated from the declared keys.
@Suite("Generated schemas and tables of keys", .blocks, .timeLimit(.minutes(20)))
struct ProfileFileTests {
  /// The kinds of profile: command, folder of the profiles, and folder in `Fixtures`.
  static let kinds = [("card", "Cards"), ("terminal", "Terminals")]
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func schema(_ kind: String) -> String { Fixtures.url("Schemas/\(kind)-profile.schema.json").path }

  @Test(arguments: kinds)
  func `the schema in Fixtures is the one that the program prints`(_ kind: String, _ folder: String) throws {
    let printed = try TapProgram.run(kind, "keys", "--format", "schema")
    #expect(printed.code == 0)
    let text = try String(contentsOfFile: Self.schema(kind), encoding: .utf8)
    #expect(text == printed.output, "run tools/keys")
  }

  @Test(arguments: kinds)
  func `the table in the README is the one that the program prints`(_ kind: String, _ folder: String) throws {
    let printed = try TapProgram.run(kind, "keys", "--format", "markdown")
    let readme = try String(decoding: Fixtures.data("\(folder)/README.md"), as: UTF8.self)
    #expect(readme.contains("<!-- keys -->\n\(printed.output)<!-- end of keys -->\n"), "run tools/keys")
  }

  @Test func `the schema and the table of capabilities are those that the program prints`() throws {
    let schema = try TapProgram.run("terminal", "keys", "--capabilities", "--format", "schema")
    let file = try String(decoding: Fixtures.data("Schemas/terminal-capabilities.schema.json"), as: UTF8.self)
    #expect(schema.code == 0 && schema.output == file, "run tools/keys")
    let table = try TapProgram.run("terminal", "keys", "--capabilities", "--format", "markdown")
    let readme = try String(decoding: Fixtures.data("Capabilities/README.md"), as: UTF8.self)
    #expect(readme.contains("<!-- keys -->\n\(table.output)<!-- end of keys -->\n"), "run tools/keys")
  }

  /// The files that a validator of another project refuses, each with the places of its errors.
  func refused(_ kind: String, _ files: [String]) throws -> String {
    let run = try ProgramRun(
      ExampleTests.root.appending(path: ".build/oracles/bin/python").path,
      [OracleTests.script("check_schema.py"), Self.schema(kind)] + files)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }

  @Test(arguments: kinds)
  func `every shipped profile is valid against the schema`(_ kind: String, _ folder: String) throws {
    let files = try Fixtures.names(in: folder, ending: ".json").map { Fixtures.url("\(folder)/\($0)").path }
    #expect(files.count >= 3)
    #expect(try refused(kind, files) == "")
  }

  /// Changes of a shipped profile: path, value, and the place that the schema names.
  static let mistakes: [(kind: String, file: String, path: String, value: JSONValue?, place: String)] = [
    ("card", "Cards/visa-cvn18.json", "applications[0].priority", 16, "applications/0/priority"),
    ("card", "Cards/visa-cvn18.json", "applications[0].aip", "00", "applications/0/aip"),
    ("card", "Cards/visa-cvn18.json", "applications[0].kernel", "vsia", "applications/0/kernel"),
    ("card", "Cards/visa-cvn18.json", "applications[0].ctq", nil, "applications/0"),
    ("card", "Cards/visa-cvn18.json", "applications[0].optionsFormat", 1, "applications/0"),
    (
      "card", "Cards/visa-cvn18.json", "applications[0].records[0].data[0]", "5A4761", "applications/0/records/0/data/0"
    ),
    (
      "card", "Cards/faulty-chained.json", "faults[0].what", ["kind": "delay", "milliseconds": 0],
      "faults/0/what/milliseconds"
    ),
    ("card", "Cards/visa-cvn18.json", "applications", [], "applications"),
    ("terminal", "Terminals/attended-eur.json", "countryCode", "27", "countryCode"),
    ("terminal", "Terminals/attended-eur.json", "applications[0].kernel2", [:], "applications/0"),
    (
      "terminal", "Terminals/attended-eur.json", "applications[0].limits[0].floor", "1,00",
      "applications/0/limits/0/floor"
    ),
    ("terminal", "Terminals/attended-eur.json", "merchant.name", nil, "merchant"),
  ]

  @Test(arguments: mistakes.indices)
  func `the schema names the place of a mistake, and the program finds it too`(_ row: Int) throws {
    let mistake = Self.mistakes[row]
    let document = try JSONValue(parsing: Fixtures.data(mistake.file)).setting(mistake.path, to: mistake.value)
    let file = try scratch.write("mistake.json", document.pretty)
    #expect(try refused(mistake.kind, [file]).contains(" \(mistake.place)"), "\(mistake.path)")
    #expect(try TapProgram.run(mistake.kind, "check", file).code == 2)
  }

  @Test func `a profile may name its schema`() throws {
    let card = try JSONValue(parsing: Fixtures.data("Cards/visa-cvn18.json")).setting("$schema", to: "card.json")
    _ = try CardImage(json: Array(card.compact.utf8))
    _ = try CardProfile(json: Array(card.compact.utf8))
    let terminal = try JSONValue(parsing: Fixtures.data("Terminals/attended-eur.json"))
    _ = try TerminalConfiguration(terminal.setting("$schema", to: "terminal.json"))
  }
}
