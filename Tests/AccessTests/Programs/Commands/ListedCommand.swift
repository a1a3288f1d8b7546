import Foundation
import JSON
import TestSupport
import Testing

/// A command of `tap-wallet` with the arguments that it needs, as the program itself describes them.
struct ListedCommand: CustomStringConvertible {
  /// The words of the command, and its arguments without those of every command.
  let words: [String]
  /// The long names of the options that the command has.
  let options: Set<String>
  var description: String { words.joined(separator: " ") }

  /// All commands. An argument of several words makes a command for each of them.
  ///
  /// - Parameters:
  ///   - values: Values of arguments without a default, by the names in the program's description; an argument that is
  ///     missing here gets a word.
  ///   - added: Arguments that a command needs although each of them has a default.
  static func all(_ values: [String: String], adding added: [String: [String]]) throws -> [ListedCommand] {
    let run = try ProgramRun(AccessPrograms.path("tap-wallet"), ["--experimental-dump-help"])
    try #require(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    let root = try #require(try JSONValue(parsing: Array(run.output.utf8))["command"])
    return try commands(of: root, behind: [], values).map { command in
      ListedCommand(words: command.words + (added[command.description] ?? []), options: command.options)
    }
  }

  private static func commands(
    of command: JSONValue, behind words: [String], _ values: [String: String]
  ) throws -> [ListedCommand] {
    try (command["subcommands"]?.list ?? []).flatMap { child -> [ListedCommand] in
      let words = words + [try #require(child["commandName"]?.text)]
      if child["subcommands"]?.list?.isEmpty == false { return try commands(of: child, behind: words, values) }
      return self.words(child["arguments"]?.list ?? [], behind: words, values).map {
        ListedCommand(words: $0, options: Set(names(child["arguments"]?.list ?? [])))
      }
    }
  }

  private static func names(_ arguments: [JSONValue]) -> [String] {
    arguments.flatMap { ($0["names"]?.list ?? []).compactMap { $0["name"]?.text } }
  }

  /// The command lines for the arguments that have no default. The folder is added for each run.
  private static func words(
    _ arguments: [JSONValue], behind words: [String], _ values: [String: String]
  ) -> [[String]] {
    var lines = [words]
    for argument in arguments where argument["isOptional"]?.flag != true {
      let name = names([argument]).first
      guard name != "state" else { continue }
      let choices = argument["allValues"]?.list?.compactMap(\.text) ?? []
      let value = values[argument["valueName"]?.text ?? ""] ?? "word"
      lines = lines.flatMap { line in
        (choices.isEmpty ? [value] : choices).map { line + (name.map { ["--" + $0] } ?? []) + [$0] }
      }
    }
    return lines
  }
}
