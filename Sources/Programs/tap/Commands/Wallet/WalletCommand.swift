import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Octets
import PaymentSimulation
import ProgramSupport
import WalletDatabase

/// The cards of a wallet in a folder.
struct WalletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet",
    abstract: "The cards of a wallet in a folder, for tap present --wallet.",
    help: CommandHelp(
      """
      The wallet is bound to a device: a simulated one, a file of its own, which tap wallet add creates in the \
      wallet's folder unless --device names another, or that of this machine. Cards and keys are encrypted \
      under a key of that device. The file of a simulated device holds the key in clear: test keys and nothing \
      else.
      """,
      related: ["tap-present", "tap_device"]),
    subcommands: [
      WalletAddCommand.self, WalletListCommand.self, WalletStatusCommand.self, WalletDefaultCommand.self,
      WalletSuspendCommand.self,
      WalletResumeCommand.self, WalletRetireCommand.self, WalletDeleteCommand.self, WalletKeysCommand.self,
      WalletReplenishCommand.self,
      WalletResetCommand.self,
    ])

  /// How the commands of the group end.
  static let exits: CommandHelp.Exits = [
    .done: "done",
    .error: "the wallet or a file cannot be opened, read or written",
    .notRight: """
    refused, and nothing was changed, unless the device's key is invalid: all cards are removed then; with a warning: \
    done, but a process that was stopped while its card answered a command may still give a payment that it has computed
    """,
  ]
}

/// Adds a card.
struct WalletAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a card whose keys the test issuer provisions; create the wallet when it does not exist.",
    help: CommandHelp(
      examples: [
        "tap wallet add --wallet purse --card card.json --uses 20 --threshold 5":
          "Add a card with keys for twenty payments.",
        "tap wallet add --wallet machine --device linux --card card.json":
          "Add a card to a wallet that is bound to the device of this machine.",
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions
  @Option(help: ArgumentHelp("The card profile.", valueName: "file"), completion: FileCompletion.card)
  var card: String
  @Option(help: ArgumentHelp("The wallet's name for the card; the profile's when left out.", valueName: "name"))
  var id: String?
  @OptionGroup var keys: KeyOptions
  @Option(help: "The card needs replenishment when so many payments are left, or fewer: 0 to 65535.")
  var threshold = DigitalCard.standardReplenishmentThreshold
  @Option(
    help: """
      How the cardholder must be verified, for the life of the wallet: when left out, as the wallet was set up, and \
      biometricOnly for a new one. A wallet that was wiped because its device has lost the key needs it.
      """)
  var policy: CardholderVerificationPolicy?
  @OptionGroup var setUp: SetUpOptions

  func validate() throws {
    try require("--threshold", threshold, in: InMemoryWalletStore.thresholds)
  }

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      let image = try CardFiles.card(card)
      let provisioning = try keys.provisioning(inWallet: options.wallet)
      // Nothing is changed when no keys can be made.
      try provisioning.check(image)
      let store = try SQLiteWalletStore(directory: options.wallet)
      let wallet = try await options.place.setUp(
        store, policy: policy, rollbackProtection: !setUp.withoutRollbackProtection)
      let name = id ?? image.name
      try GrantedCounters(directory: options.wallet).keep(store.cards())
      let provisioned = try provisioning.keys(for: image)
      try await wallet.add(
        name, image, keys: provisioned, threshold: threshold, signingKey: provisioning.signingKey(for: image))
      try options.show(store.cards().filter { $0.id == name })
    }
  }
}

/// Lists the cards.
struct WalletListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the cards, a line each.",
    help: CommandHelp(
      examples: [
        "tap wallet list --wallet purse": "List the cards with their states."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      try await options.list(options.cards())
    }
  }
}

/// A wallet and one of its cards.
struct WalletCardOptions: ParsableArguments {
  @OptionGroup var options: WalletOptions
  @Argument(help: "The card.")
  var id: String

  func change(_ change: (Wallet) async throws(WalletError) -> [WithdrawalWarning]) async throws {
    try await options.change(id, change)
  }

  /// Makes the card follow an instruction.
  func follow(_ instruction: (String) -> CardInstruction) async throws {
    try await change { (wallet) async throws(WalletError) in try await wallet.follow([instruction(id)]) }
  }
}

/// Makes a card the default.
struct WalletDefaultCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "default", abstract: "Make a card the one that pays when none is chosen.",
    help: CommandHelp(
      examples: [
        "tap wallet default --wallet purse card": "Pay with this card unless another one is chosen."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var card: WalletCardOptions

  func run() async throws {
    try await card.change { (wallet) async throws(WalletError) in
      try await wallet.setDefault(card.id)
      return []
    }
  }
}

/// Stops a card for a while.
struct WalletSuspendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend", abstract: "Stop a card until resume.",
    help: CommandHelp(
      examples: [
        "tap wallet suspend --wallet purse card": "Refuse payments with a card for now."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var card: WalletCardOptions

  func run() async throws { try await card.follow { .apply(.suspend, to: $0) } }
}

/// Lets a suspended card pay again.
struct WalletResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let a card pay again.",
    help: CommandHelp(
      examples: [
        "tap wallet resume --wallet purse spare": "Pay with a suspended card again."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var card: WalletCardOptions

  func run() async throws { try await card.follow { .apply(.resume, to: $0) } }
}

/// Stops a card for good.
struct WalletRetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Stop a card for good. It stays in the wallet until delete.",
    help: CommandHelp(
      examples: [
        "tap wallet retire --wallet purse card": "Stop a card for good."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var card: WalletCardOptions

  func run() async throws { try await card.follow { .apply(.retire, to: $0) } }
}

/// Removes a card.
struct WalletDeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove a card with its keys and counters. There is no way back.",
    help: CommandHelp(
      examples: [
        "tap wallet delete --wallet purse card": "Remove a card with its keys."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var card: WalletCardOptions

  func run() async throws {
    try await Console.reportingErrors(as: card.options.format) {
      let cards = try await card.options.place.unlockedStore().cards()
      try GrantedCounters(directory: card.options.wallet).keep(cards.filter { $0.id == card.id })
    }
    try await card.follow { .delete($0) }
    try card.options.format.print("\(card.id): deleted", json: ["deleted": card.id])
  }
}

/// Shows what the keys are good for.
struct WalletKeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Show each card's keys: their kind, how many payments are left, expiry, and whether more are needed.",
    help: CommandHelp(
      examples: [
        "tap wallet keys --wallet purse": "Show how many payments are left."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions

  func run() async throws {
    try await Console.reportingErrors(as: options.format) { try await options.showKeys(options.cards()) }
  }
}

/// Removes everything.
struct WalletResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Remove all cards, keys and counters. There is no way back.",
    help: CommandHelp(
      examples: [
        "tap wallet reset --wallet purse": "Remove all cards."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      let removed = try await options.place.reset()
      try options.format.print("cards removed: \(removed)", json: ["removed": removed])
    }
  }
}

/// Shows how a wallet is set up.
struct WalletStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the wallet is set up: its policy, its key, and its rollback protection.",
    help: CommandHelp(
      examples: [
        "tap wallet status --wallet purse": "Show the policy and the key of a wallet."
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      let store = try options.place.lockedStore()
      let wallet = try await options.place.open(store)
      guard let binding = try store.binding() else { throw WalletError.notInitialized }
      let (policy, key) = (binding.policy.rawValue, binding.key.identifier.octets.hex)
      let (isProtected, count) = (try await wallet.hasRollbackProtection(), try store.cardCount())
      let protection = isProtected ? "a counter of the device" : "none, a restored copy of the folder is not noticed"
      try options.format.print(
        ["policy: \(policy)", "key: \(key)", "rollback protection: \(protection)", "cards: \(count)"],
        json: [
          "wallet": options.wallet, "policy": policy, "key": key, "rollbackProtection": isProtected, "cards": count,
        ])
    }
  }
}
