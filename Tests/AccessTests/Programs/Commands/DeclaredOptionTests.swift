import Foundation
import JSON
import TestSupport
import Testing

/// swift-argument-parser looks for names that are declared twice in a debug build only, at each start of a program; any other
/// build takes the first declaration.
@Suite("The declared options of all programs", .blocks, .timeLimit(.minutes(20))) struct DeclaredOptionTests {
  /// The names that a command, or one of its subcommands, declares more than once, each behind the words of the command.
  private static func repeated(in command: JSONValue) -> [String] {
    let name = command["commandName"]?.text ?? ""
    let arguments = command["arguments"]?.list ?? []
    let names = arguments.flatMap { $0["names"]?.list ?? [] }.map(\.compact)
    let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys
    return (twice + (command["subcommands"]?.list ?? []).flatMap(repeated)).map { "\(name) \($0)" }
  }

  @Test(arguments: ["tap", "tap-authorize", "tap-device", "tap-server", "tap-wallet"])
  func `no command declares a name twice`(_ program: String) throws {
    let run = try ProgramRun(AccessPrograms.path(program), ["--experimental-dump-help"])
    try #require(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    let root = try #require(try JSONValue(parsing: Array(run.output.utf8))["command"])
    #expect(Self.repeated(in: root) == [])
  }

  @Test func `a name that is declared twice is found, also in a subcommand`() throws {
    let option = #"{"names": [{"kind": "long", "name": "amount"}, {"kind": "short", "name": "a"}]}"#
    let command = #"{"commandName": "pay", "arguments": [\#(option), \#(option)]}"#
    let root = try JSONValue(parsing: Array(#"{"commandName": "tap", "subcommands": [\#(command)]}"#.utf8))
    #expect(Self.repeated(in: root).count == 2)
  }
}
