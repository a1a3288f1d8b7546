import AccessMessages
import ArgumentParser
import Documents
import ProgramSupport

/// Orders of issuer scripts.
struct ScriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "script", abstract: "Order issuer scripts for a card, list and cancel them.",
    subcommands: [OrderScriptCommand.self, ListScriptsCommand.self, CancelScriptCommand.self],
    defaultSubcommand: OrderScriptCommand.self)
}

/// Orders a script.
struct OrderScriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order", abstract: "Order a command for a card that takes issuer scripts.",
    help: CommandHelp(
      """
      Prints the identifier of the order. The order stands until it is cancelled: the server sends its command \
      with the response to each genuine payment of the card, and the application that pays executes it, if the \
      terminal passes it on. A newer order for the same subject (the block of the application, the block of \
      the card, a tag) replaces it. A blocked application makes no payment that reaches the issuer, so the \
      wallet lifts its block when it asks for its cards. CARD BLOCK cannot be lifted.
      """,
      examples: [
        "tap-server card script CARD --block-application \(OperatorOptions.example)":
          "Block an application with the next payment of the card.",
        "tap-server card script order CARD --put-data 9F10=0102 \(OperatorOptions.example)":
          "Change a data object of the card.",
      ],
      exits: OperatorOptions.exits))

  /// A command without data.
  enum Block: String, EnumerableFlag {
    case blockApplication, unblockApplication, blockCard

    static func help(for value: Block) -> ArgumentHelp? {
      switch value {
      case .blockApplication: "The application declines every payment."
      case .unblockApplication: "The application pays again."
      case .blockCard: "The card refuses every command, for good."
      }
    }
  }

  @Argument(help: "The identifier that `card list` prints.")
  var card: String
  @Flag(exclusivity: .exclusive) var block: Block?
  @Option(
    help: ArgumentHelp(
      "Replace the value of a tag, both in hexadecimal. The profile of the card lists the tags.", valueName: "tag=value"
    ))
  var putData: String?
  @OptionGroup var options: OperatorOptions

  func validate() throws {
    guard (block == nil) != (putData == nil) else {
      throw ValidationError(
        "One of --block-application, --unblock-application, --block-card and --put-data TAG=VALUE is needed.")
    }
    guard let putData, putData.split(separator: "=").count != 2 else { return }
    throw ValidationError("--put-data \(putData): TAG=VALUE is needed, such as 9F58=07.")
  }

  private var script: CardScript {
    if let block, let command = CardScript.Command(rawValue: block.rawValue) { return CardScript(command) }
    let parts = (putData ?? "").split(separator: "=").map(String.init)
    return CardScript(.putData, tag: parts.first, value: parts.last)
  }

  func run() async throws {
    let report = options.report("card script order")
    try await report.run { () throws(CommandFailure) in
      let path = OperatorPath.scripts(card.percentEncoded)
      let order = try await OperatorClient(options).send(.post, path, script.json, CardScriptOrder.init)
      report.result("script", order.members, text: order.id)
    }
  }
}

/// Lists orders.
struct ListScriptsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the orders that stand for a card.",
    help: CommandHelp(
      """
      The columns are identifier, command, and in how many responses it was sent. At a terminal they have \
      names, elsewhere a tab between them. A card does not report what it has executed.
      """,
      examples: [
        "tap-server card script list CARD \(OperatorOptions.example)":
          "List the orders for a card."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `card list` prints.")
  var card: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("card script list")
    try await report.run { () throws(CommandFailure) in
      let path = OperatorPath.scripts(card.percentEncoded)
      let orders = try await OperatorClient(options).send(.get, path, nil, CardScriptOrders.init).orders
      report.page("script", orders.map { ListEntry($0) }, columns: ["order", "command", "sent"])
    }
  }
}

/// Cancels an order.
struct CancelScriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancel an order. What the card has executed stays.",
    help: CommandHelp(
      examples: [
        "tap-server card script cancel CARD ORDER \(OperatorOptions.example)":
          "Cancel the order with this identifier."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The identifier that `card list` prints.")
  var card: String
  @Argument(help: "The identifier that `card script list` prints.")
  var order: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let path = OperatorPath.script(card.percentEncoded, order.percentEncoded)
    try await options.send(.delete, path, as: "card script cancel", done: "cancelled the order \(order)")
  }
}

extension ListEntry {
  fileprivate init(_ order: CardScriptOrder) {
    let script = order.script
    let data = script.tag.map { " \($0)=\(script.value ?? "")" } ?? ""
    self.init(members: order.members, rows: [[order.id, script.command.rawValue + data, String(order.sent)]])
  }
}
