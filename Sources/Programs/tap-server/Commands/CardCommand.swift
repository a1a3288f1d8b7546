import AccessMessages
import ArgumentParser
import Documents
import JSON
import ProgramSupport

/// The cards of the issuer.
struct CardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "card", abstract: "List, suspend and resume cards, and order issuer scripts for them.",
    subcommands: [ListCardsCommand.self, SuspendCardCommand.self, ResumeCardCommand.self, ScriptCommand.self])
}

/// Lists cards.
struct ListCardsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all cards.",
    help: CommandHelp(
      """
      The columns are identifier, state, device, last digits of the account number and name. At a terminal \
      they have names, elsewhere a tab between them.
      """,
      examples: [
        "tap-server card list \(OperatorOptions.example)":
          "List all cards."
      ],
      exits: OperatorOptions.exits))

  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.list(
      as: "card list", "card", columns: ["card", "state", "device", "digits", "name"], OperatorPath.cards,
      reading: CardList.init
    ) { ($0.cards.map(Self.entry), $0.next) }
  }

  private static func entry(_ card: CardEntry) -> ListEntry {
    ListEntry(
      members: [
        ("id", JSONValue(card.id)), ("state", JSONValue(card.state.rawValue)),
        ("device", card.device.map { JSONValue($0) }), ("lastDigits", JSONValue(card.lastDigits)),
        ("name", JSONValue(card.name)), ("createdAt", JSONValue(card.createdAt)),
      ], rows: [[card.id, card.state.rawValue, card.device ?? "", card.lastDigits, card.name]])
  }
}

/// Suspends a card.
struct SuspendCardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend", abstract: "Decline the payments of a card until it is resumed.",
    help: CommandHelp(
      examples: [
        "tap-server card suspend CARD \(OperatorOptions.example)":
          "Decline the payments of the card with this identifier."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `card list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(card: id, .suspended, "card suspend") }
}

/// Resumes a card.
struct ResumeCardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let a suspended card pay again.",
    help: CommandHelp(
      examples: [
        "tap-server card resume CARD \(OperatorOptions.example)":
          "Let it pay again."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `card list` prints.")
  var id: String
  @OptionGroup var options: OperatorOptions

  func run() async throws { try await options.change(card: id, .active, "card resume") }
}

extension OperatorOptions {
  fileprivate func change(card id: String, _ state: CardEntry.State, _ operation: String) async throws {
    let path = OperatorPath.card(id.percentEncoded)
    try await send(
      .patch, path, CardSuspension(state).json, as: operation,
      done: state == .active ? "resumed the card \(id)" : "suspended the card \(id)")
  }
}
