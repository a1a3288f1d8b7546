import Fixtures
import JSON
import TestSupport
import Testing

/// The schemas of the JSON of `tap-wallet` and `tap-server`. `SchemaCheck` compares what all tests print with them.
@Suite("The schemas of wallet and server", .blocks, .timeLimit(.minutes(5)))
struct SchemaTests {
  /// The names of the commands whose last line has the operation, as the program describes itself.
  private static func commands(of program: String) throws -> Set<String> {
    let run = try ProgramRun(AccessPrograms.path(program), ["--experimental-dump-help"])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    let described = try JSONValue(parsing: Array(run.output.utf8))
    return Set(try #require(described["command"]).printing().map { $0.dropFirst().joined(separator: " ") })
  }

  /// The operations that a schema names.
  private static func operations(_ value: JSONValue) -> Set<String> {
    let named = value["properties"]?["operation"]
    let own = [named?["const"]?.text].compactMap(\.self) + (named?["enum"]?.list ?? []).compactMap(\.text)
    let nested = (value.members ?? []).map(\.value) + (value.list ?? [])
    return nested.reduce(Set(own)) { $0.union(operations($1)) }
  }

  @Test func `every command of the wallet that prints JSON has its last line in the schema`() throws {
    let schema = try JSONValue(parsing: Fixtures.data("Schemas/wallet-output.schema.json"))
    let missing = try Self.commands(of: "tap-wallet").subtracting(Self.operations(schema))
    #expect(missing == [], "\(missing)")
  }

  static let lines: [(schema: String, line: String, isRight: Bool)] = [
    ("wallet", #"{"event":"succeeded","operation":"history","payments":2}"#, true),
    ("wallet", #"{"event":"succeeded","operation":"history","payments":"2"}"#, false),
    ("wallet", #"{"event":"succeeded","operation":"histroy","payments":2}"#, false),
    ("wallet", #"{"event":"pendingError","account":"a","code":"b","more":1}"#, false),
    ("wallet", #"{"event":"failed","operation":"pay","error":{"code":"declined"}}"#, false),
    ("server", #"{"event":"succeeded","operation":"card suspend"}"#, true),
    ("server", #"{"event":"user","name":"a","registrationToken":"b","expiresAt":1764450000000}"#, false),
    ("server", #"{"event":"user","name":"a","registrationToken":"b","expiresAt":"2026-01-31T09:05:00.000Z"}"#, true),
  ]

  @Test(arguments: lines.indices)
  func `a line that differs from the schema is refused`(_ row: Int) throws {
    let (schema, line, isRight) = Self.lines[row]
    #expect(try SchemaFile("\(schema)-output").refused(line, "line").isEmpty == isRight)
  }
}

extension JSONValue {
  /// The names of the commands without subcommands that print JSON.
  fileprivate func printing(_ parents: [String] = []) -> [[String]] {
    let name = parents + [self["commandName"]?.text ?? ""]
    let subcommands = self["subcommands"]?.list ?? []
    guard subcommands.isEmpty else { return subcommands.flatMap { $0.printing(name) } }
    let prints = (self["arguments"]?.list ?? []).contains { argument in
      argument["preferredName"]?["name"]?.text == "format"
        && argument["allValues"]?.list?.contains { $0.text == "json" } == true
    }
    return prints ? [name] : []
  }
}
