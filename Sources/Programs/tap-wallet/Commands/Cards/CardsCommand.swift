import AccessMessages
import ArgumentParser
import CardProvisioning
import ContactlessPayment
import JSON
import Octets
import ProgramSupport

/// The cards of the wallet.
struct CardsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cards", abstract: "List the cards of the wallet, and add one.",
    subcommands: [ListCardsCommand.self, AddCardCommand.self])
}

/// Lists the cards.
struct ListCardsCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Follow the issuer, and list the cards with the payments that are left.",
    help: CommandHelp(
      examples: [
        "tap-wallet cards list --state mobile": "List the cards with the payments that are left."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  var operation: String { "cards list" }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let cards = try await run.cards()
    let list = try await cards.service.follow(cards.wallet)
    try await run.show(list, of: cards)
    let profiles = list.profiles ?? []
    return WalletRun.Success(
      members: [("profiles", JSONValue(profiles.map { JSONValue($0) }))],
      text: "cards that can be added: "
        + (profiles.isEmpty ? "none" : profiles.map { $0.visible() }.joined(separator: ", ")))
  }
}

/// Adds a card.
struct AddCardCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Get a card with its first payment keys from the issuer.",
    help: CommandHelp(
      "After a lost answer the same command gets the same card.",
      examples: [
        "tap-wallet cards add --state mobile": "Get a card from the issuer."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Option(help: ArgumentHelp("The profile of the card; the issuer's first one when left out.", valueName: "name"))
  var profile: String?

  var operation: String { "cards add" }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let cards = try await run.cards()
    try await cards.setUp(rollbackProtection: !run.options.withoutRollbackProtection)
    let entry = try await cards.deliveries.whileAlone {
      try await cards.service.addCard(profile: profile, to: cards.wallet)
    }
    guard let card = try await cards.own().first(where: { $0.id == entry.id }) else {
      throw CommandFailure("Wallet", "the card was removed while it was added", .notRight)
    }
    return WalletRun.Success(members: card.members(entry), text: card.line(entry))
  }
}

/// Gets payment keys.
struct ReplenishCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "replenish", abstract: "Get payment keys for the cards that have no more left than their threshold.",
    help: CommandHelp(
      examples: [
        "tap-wallet replenish --state mobile": "Get keys where they are needed."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Option(parsing: .unconditional, help: ArgumentHelp("Only this card.", valueName: "id"))
  var card: String?
  @Flag(help: "Also when more payments are left than the threshold.")
  var force = false

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let cards = try await run.cards()
    try await cards.service.follow(cards.wallet)
    let chosen = try await cards.own().filter { $0.id == card ?? $0.id }
    guard !chosen.isEmpty else {
      let reason =
        card == nil ? "the wallet has no card: get one with tap-wallet cards add" : "the wallet has no such card"
      throw CommandFailure("unknownCard", reason, .notRight)
    }
    var replenished = 0
    for one in chosen where one.state == .active {
      let left = try await cards.replenish(one.id, isForced: force)
      if let left {
        replenished += 1
        run.output.event(
          "replenished", [("card", JSONValue(one.id)), ("paymentsLeft", JSONValue(left))],
          text: "\(one.id): payments left: \(left)")
      }
    }
    return WalletRun.Success(
      members: [("replenished", JSONValue(replenished))], text: "cards replenished: \(replenished)")
  }
}

/// Shows the payments.
struct HistoryCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show the payments of the wallet's cards that reached the issuer, newest first.",
    help: CommandHelp(
      examples: [
        "tap-wallet history --state mobile": "Show the last payments."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let cards = try await run.cards()
    let list = try await cards.service.follow(cards.wallet)
    let payments = try await cards.payments(of: list)
    for (card, payment) in payments {
      run.output.event("payment", payment.members(card), text: payment.line(card))
    }
    return WalletRun.Success(
      members: [("payments", JSONValue(payments.count))], text: "payments: \(payments.count)")
  }
}
