import AccessServer
import ArgumentParser
import Documents
import JSON
import Octets
import ProgramSupport

/// The configuration of a server, without a running one.
struct ConfigurationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "configuration", abstract: "Check and show the configuration of a server that need not run.",
    subcommands: [CheckConfigurationCommand.self, ShowConfigurationCommand.self, ConfigurationKeysCommand.self])
}

/// Checks the files of a server.
struct CheckConfigurationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the files of a server: configuration, certificate, key, token, database.",
    help: CommandHelp(
      """
      Takes the options of `serve`, reports all problems at once, each with its place, and changes nothing. It \
      checks the modes of the files, whether key and certificate belong together, the dates and the order of \
      the chain, whether the database opens, the version of its tables, and the space on its disk.
      """,
      examples: [
        "tap-server configuration check --self-signed server --configuration server.json --database sqlite:server.sqlite":
          "Check the files of a server before it starts."
      ],
      exits: [
        .done: "no problem",
        .notRight: "a problem",
      ]))

  @Option(help: ArgumentHelp("Where the server listens.", valueName: "host:port"))
  var listen: ListenAddress?
  @Option(help: ArgumentHelp("sqlite:FILE, postgresql://USER@HOST/DATABASE, or memory.", valueName: "database"))
  var database: DatabaseLocation?
  @OptionGroup var options: ServingOptions
  @Option(help: "How results are printed: text or json.")
  var format = OutputFormat.text

  func validate() throws { try database?.validate() }

  func run() async throws {
    let report = Report("configuration check", format)
    try await report.run { () throws(CommandFailure) in
      var check = options.check(host: listen?.host)
      if let database { check.check(database) }
      for (part, text) in check.findings {
        report.result(
          "check", [("part", JSONValue(part.rawValue)), ("finding", JSONValue(text))], text: "\(part.rawValue): \(text)"
        )
      }
      try report.problems(check)
    }
  }
}

extension Report {
  /// Prints the problems of a check.
  ///
  /// - Throws: When there are any.
  func problems(_ check: InstallationCheck) throws(CommandFailure) {
    for problem in check.problems {
      switch output.format {
      case .text: Console.note("error: \(problem.part.rawValue): \(problem.message)")
      case .json: result("problem", problem.members, text: "")
      }
    }
    guard check.problems.isEmpty else {
      throw CommandFailure("configuration", check.problems.count.counted("problem"), .notRight)
    }
  }
}

/// Shows the configuration with its default values.
struct ShowConfigurationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the configuration with the default values of absent keys.",
    help: CommandHelp(
      """
      Prints JSON that is a configuration itself, without secrets. Keys that are not set and have no default \
      value are left out.
      """,
      examples: [
        "tap-server configuration show --self-signed server --configuration server.json":
          "Show a configuration with all default values."
      ],
      exits: [
        .done: "shown",
        .notRight: "the configuration has problems",
        .error: "it cannot be read",
      ]))

  @OptionGroup var options: ServingOptions
  @Option(help: "How results are printed: text or json.")
  var format = OutputFormat.text

  func run() async throws {
    let report = Report("configuration show", format)
    try await report.run { () throws(CommandFailure) in
      do throws(ServingProblem) {
        let configuration = try options.readConfiguration().json
        report.result("configuration", [("configuration", configuration)], text: configuration.pretty)
      } catch { throw error.failure }
    }
  }
}

/// Prints the keys of a configuration.
struct ConfigurationKeysCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case schema
  }

  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Print every key of a configuration, as text, as a table or as a JSON Schema.",
    help: CommandHelp(
      examples: [
        "tap-server configuration keys": "Print every key with its meaning and its default value.",
        "tap-server configuration keys --format schema": "Print the JSON Schema of a configuration, for an editor.",
      ],
      exits: [
        .done: "printed"
      ]))

  @Option(help: "How the keys are printed: text, a table in Markdown, or a JSON Schema, which editors use.")
  var format = Format.text

  func run() {
    switch format {
    case .markdown: Console.write(ConfigurationKeys.table.markdown)
    case .schema: Console.write(ConfigurationKeys.schema.pretty)
    case .text: ConfigurationKeys.table.lines.forEach(Console.print)
    }
  }
}
