package import ArgumentParser
internal import DisplayText

/// What the help of a command describes below its first line. `tools/manual` makes the sections of the man page from the
/// same lines.
package struct CommandHelp: Sendable {
  /// A variable of the environment that a command reads.
  package struct Variable: Sendable {
    fileprivate let name: String
    fileprivate let meaning: String

    /// Creates a variable with its meaning.
    package init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }
  }

  /// How a command can end, with the meaning for this command.
  package typealias Exits = [Exit: String]

  private let text: String
  private let examples: KeyValuePairs<String, String>
  private let exits: Exits
  private let environment: [Variable]
  private let related: [String]

  /// Creates the help of a command.
  ///
  /// - Parameters:
  ///   - text: Sentences in one paragraph; may be empty.
  ///   - examples: Command lines, each with what it does.
  ///   - exits: The exit codes with their meanings. That of wrong usage is added.
  ///   - environment: The variables that the command reads.
  ///   - related: The names of the man pages to read next, such as tap-replay.
  package init(
    _ text: String = "", examples: KeyValuePairs<String, String> = [:], exits: Exits = [:],
    environment: [Variable] = [], related: [String] = []
  ) {
    (self.text, self.examples, self.exits) = (text, examples, exits)
    (self.environment, self.related) = (environment, related)
  }

  /// The text for the parser, which leaves lines alone that fit its width.
  var discussion: String {
    let codes = exits.isEmpty ? [:] : exits.merging([.usage: Exit.usage.meaning]) { own, _ in own }
    let sections = [
      Self.section("examples", examples.map { "  \($0.key)\n      \($0.value)" }),
      Self.section(
        "exit status",
        Self.table(codes.sorted { $0.key.rawValue < $1.key.rawValue }.map { ("\($0.key.rawValue)", $0.value) })),
      Self.section("environment", Self.table(environment.map { ($0.name, $0.meaning) })),
      Self.section("see also", related.isEmpty ? [] : ["  " + related.map { $0 + "(1)" }.joined(separator: ", ")]),
    ]
    return ([text] + sections).filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// A section; empty without lines. At the width of the terminal the parser would break a line in its own way.
  private static func section(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let text = FittedText.lines(lines.joined(separator: "\n"), width: (Console.width ?? 80) - 1)
    return "\(title.uppercased()):\n\(text)"
  }

  private static func table(_ rows: [(name: String, meaning: String)]) -> [String] {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.meaning)" }
  }
}

extension CommandConfiguration {
  /// Creates the configuration of a command with its help.
  package init(
    commandName: String, abstract: String, help: CommandHelp, version: String = "",
    subcommands: [any ParsableCommand.Type] = [], groupedSubcommands: [CommandGroup] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil
  ) {
    self.init(
      commandName: commandName, abstract: abstract, discussion: help.discussion, version: version,
      subcommands: subcommands, groupedSubcommands: groupedSubcommands, defaultSubcommand: defaultSubcommand)
  }
}

extension CommandHelp {
  /// The help of the programs that a terminal starts to ask the issuer of a server.
  ///
  /// - Parameter command: The words of the command.
  package static func ofIssuer(_ command: String) -> CommandHelp {
    CommandHelp(
      """
      Reads one online request in JSON from each line of standard input, and prints the response of the issuer in one \
      line. The first request without a response ends the program, with a line that has the member error.
      """,
      examples: [
        "\(command) --server https://127.0.0.1:8443 --ca server/ca.pem < requests.jsonl":
          "Ask the issuer of a server for the responses to the requests of a file."
      ],
      exits: [
        .done: "every request has a response", .error: "the file of authorities cannot be read",
        .notRight: "a request is malformed, or the server refused", .notReached: "the server was not reached",
      ], related: ["tap-accept", "tap-server"])
  }
}

extension CommandHelp.Variable {
  /// Colours.
  package static let noColour = Self("NO_COLOR", "prints without colours when it is set")
}
