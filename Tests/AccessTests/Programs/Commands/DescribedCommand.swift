import Foundation
import JSON
import TestSupport
import Testing

/// A command of a program without subcommands, as the program itself describes it.
struct DescribedCommand: CustomStringConvertible {
  /// A command line of the help with its meaning.
  struct Example {
    let line: String
    let meaning: String

    /// The exit code that the meaning names.
    var exit: Int32 { meaning.firstMatch(of: /\(exit (\d+)\)/).flatMap { Int32($0.1) } ?? 0 }
  }

  static let programs = ["tap", "tap-authorize", "tap-device", "tap-server", "tap-wallet"]

  /// The words of the command.
  let words: [String]
  private let json: JSONValue

  var description: String { words.joined(separator: " ") }

  /// All commands of a program.
  static func all(of program: String) throws -> [DescribedCommand] {
    try leaves(of: root(of: program), behind: [])
  }

  /// The command that a line names.
  static func named(by words: [String]) throws -> DescribedCommand {
    var command = try root(of: words[0])
    var path = [words[0]]
    func subcommand(_ name: String?) -> JSONValue? {
      command["subcommands"]?.list?.first { $0["commandName"]?.text == name }
    }
    while command["subcommands"]?.list?.contains(where: { $0["commandName"]?.text != "help" }) == true {
      let word = path.count < words.count ? words[path.count] : ""
      let next = subcommand(word) ?? subcommand(command["defaultSubcommand"]?.text)
      command = try #require(next, "\(words): no command \(word)")
      if command["commandName"]?.text == word { path.append(word) } else { break }
    }
    return DescribedCommand(words: path, json: command)
  }

  static func root(of program: String) throws -> JSONValue {
    let run = try ProgramRun(AccessPrograms.path(program), ["--experimental-dump-help"])
    try #require(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    return try #require(try JSONValue(parsing: Array(run.output.utf8))["command"])
  }

  private static func leaves(of command: JSONValue, behind words: [String]) throws -> [DescribedCommand] {
    let words = words + [try #require(command["commandName"]?.text)]
    let children = command["subcommands"]?.list?.filter { $0["commandName"]?.text != "help" } ?? []
    if children.isEmpty { return [DescribedCommand(words: words, json: command)] }
    return try children.flatMap { try leaves(of: $0, behind: words) }
  }

  /// The lines of a section of the help, those that were broken joined again.
  func section(_ title: String) -> [String] {
    let text = json["discussion"]?.text ?? ""
    guard let section = text.components(separatedBy: "\n\n").first(where: { $0.hasPrefix(title + ":\n") }) else {
      return []
    }
    return section.replacing(#/ \\\n +/#, with: " ").split(separator: "\n").dropFirst().map(String.init)
  }

  /// The examples of the help.
  var examples: [Example] {
    section("EXAMPLES").reduce(into: []) { found, line in
      let text = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("    "), let last = found.popLast() {
        found.append(Example(line: last.line, meaning: last.meaning.isEmpty ? text : "\(last.meaning) \(text)"))
      } else {
        found.append(Example(line: text, meaning: ""))
      }
    }
  }

  /// The exit codes of the help.
  var exits: [String] {
    section("EXIT STATUS").filter { !$0.hasPrefix("    ") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
  }

  private var arguments: [JSONValue] { json["arguments"]?.list ?? [] }

  private static func names(_ argument: JSONValue) -> [String] {
    (argument["names"]?.list ?? []).compactMap { name in
      name["name"]?.text.map { (name["kind"]?.text == "long" ? "--" : "-") + $0 }
    }
  }

  /// What is wrong with a command line of this command: options that do not exist, and those that are missing.
  func mistakes(in line: [String]) -> [String] {
    let options = line.filter { $0.hasPrefix("-") && $0 != "-" }
    let unknown = options.filter { option in !arguments.contains { Self.names($0).contains(option) } }
    let missing = arguments.filter { $0["isOptional"]?.flag != true }.filter { argument in
      let names = Self.names(argument)
      return names.isEmpty ? line.count == words.count : !names.contains(where: options.contains)
    }
    return unknown.map { "unknown \($0)" } + missing.map { "missing \(Self.names($0))" }
  }
}
