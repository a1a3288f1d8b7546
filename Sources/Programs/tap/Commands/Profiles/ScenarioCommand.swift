public import ArgumentParser
import DisplayText
import Documents
import Foundation
import JSON
import ProgramSupport
public import TapScenarios

/// Scenarios of one's own.
struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario", abstract: "Write scenarios for tap test, and show their keys.",
    help: CommandHelp("tap test --check checks scenarios.", related: ["tap-test", "tap-card"]),
    subcommands: [New.self, Keys.self, Schema.self])

  /// Writes a scenario to begin with.
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Write a scenario to begin with.",
      help: CommandHelp(
        examples: [
          "tap scenario new --name 'A small amount' -o small.yaml": "Write a scenario that judges a card by a payment.",
          "tap scenario new --judges terminal -o terminal.yaml": "Write a scenario that judges a terminal.",
        ],
        exits: [
          .done: "written",
          .error: "the file cannot be written",
        ]))

    @Option(
      help: """
        What the scenario judges: a card by a payment, a card by steps, which are single commands, or a terminal.
        """)
    var judges = ScenarioTemplate.Kind.payment
    @Option(help: ArgumentHelp("The name of the test, 1 to 200 characters.", valueName: "text"))
    var name = "My scenario"
    @Option(
      help: ArgumentHelp("The card profile, relative to the scenario.", valueName: "file"),
      completion: FileCompletion.card)
    var card = "card.json"
    @OptionGroup var destination: OutputOptions

    func run() throws {
      try Console.reportingErrors {
        let octets = Array(ScenarioTemplate(judges, name: name, card: card).yaml.utf8)
        _ = try InputError.ofOptions { try TapScenario(parsing: octets) }
        try destination.write(octets)
      }
      guard let file = destination.output, file != "-" else { return }
      Console.note((["Wrote \(file). Next:"] + next(file).map { "  \($0)" }).joined(separator: "\n"))
    }

    /// The lines that run the scenario.
    private func next(_ file: String) -> [String] {
      let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      let profile = card.hasPrefix("/") || !file.contains("/") ? card : "\(folder)/\(card)"
      let place = judges == .terminal ? "--link loopback" : "--reader loopback"
      let missing =
        FileManager.default.fileExists(atPath: profile)
        ? []
        : [
          "tap card new --scheme visa -o \(profile.shellWord)"
        ]
      return missing + ["tap test \(file.shellWord) \(place)"]
    }
  }

  /// Prints the keys of a scenario.
  struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keys", abstract: "Print every key of a scenario, as text, as a table or as a JSON Schema.",
      help: CommandHelp(
        examples: [
          "tap scenario keys --format markdown": "Print the keys as a table in Markdown."
        ],
        exits: [
          .done: "printed"
        ]))

    @OptionGroup var keys: ProfileKeys

    func run() { keys.run(TapScenario.keys, title: "Scenario") }
  }

  /// Prints the schema of a scenario.
  struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Print the JSON Schema of a scenario, with which editors check and complete it.",
      help: CommandHelp(
        examples: [
          "tap scenario schema > scenario.schema.json": "Write the schema that a new scenario names."
        ],
        exits: [
          .done: "printed"
        ]))

    func run() { Console.write(ProfileKey.schema(of: TapScenario.keys, title: "Scenario").pretty) }
  }
}

extension ScenarioTemplate.Kind: ExpressibleByArgument {}
