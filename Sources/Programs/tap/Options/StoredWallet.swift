import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import DeviceLink
import EMVCard
import Foundation
import Glibc
import ProcessGuard
import ProgramSupport
import DisplayText
import WalletDatabase

/// The wallet in a folder that a command works on, and how the command prints.
struct WalletOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The wallet's folder.", valueName: "dir"), completion: .directory)
  var wallet: String
  @Option(help: ArgumentHelp("\(DeviceChoice.help)", valueName: "device"), completion: .file())
  var device: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require(!wallet.isEmpty, "--wallet needs the name of a folder.")
  }

  /// The wallet's place. The cardholder is not asked to verify.
  var place: StoredWallet { StoredWallet(directory: wallet, deviceName: device) }

  /// All cards. Writes a note when the wallet is empty.
  func cards() async throws -> [DigitalCard] {
    let cards = try await place.unlockedStore().cards()
    if cards.isEmpty { Console.note("The wallet has no card.") }
    return cards
  }

  /// Prints cards, a line each.
  func show(_ cards: [DigitalCard]) throws {
    for card in cards { try format.print(card.line, json: card.json) }
  }

  /// Prints the cards of a wallet: at a terminal as a table, else as `show(_:)` does.
  func list(_ cards: [DigitalCard]) throws {
    guard format == .text, let width = Console.width, !cards.isEmpty else { return try show(cards) }
    let hasIssuers = cards.contains { $0.issuer != nil }
    let rows = cards.map { card in
      [card.id, card.state.rawValue, card.isDefault ? "yes" : "no", "\(card.paymentsLeft)", card.image.name]
        + (hasIssuers ? [card.issuer ?? ""] : [])
    }
    let titles = ["card", "state", "default", "payments left", "name"] + (hasIssuers ? ["issuer"] : [])
    TextTable([titles] + rows).lines(width: width).forEach(Console.print)
  }

  /// Prints the keys of cards.
  func showKeys(_ cards: [DigitalCard]) throws {
    for card in cards { try format.print(card.keyLines, json: card.keysJSON) }
  }

  /// Opens the wallet, does something and prints the card that it was done to.
  func change(
    _ id: String, _ body: (Wallet) async throws(WalletError) -> [WithdrawalWarning]
  ) async throws {
    try await Console.reportingErrors(as: format) {
      let store = try place.lockedStore()
      guard try store.binding() != nil || store.isKeyLost() else { throw WalletStoreError.unknownCard(id) }
      let warnings = try await body(place.open(store))
      try show(store.cards().filter { $0.id == id })
      warnings.forEach(Console.warn)
    }
  }
}

/// A wallet in a folder, and the device on which it was set up.
struct StoredWallet {
  let directory: String
  let device: DeviceChoice
  private let integrity: IntegrityGuard

  /// - Parameters:
  ///   - deviceName: The value of the option for the device; nil when it was left out.
  ///   - integrity: The checks of this process before a payment on a real device.
  init(directory: String, deviceName: String?, integrity: ProcessIntegrity = ProcessIntegrity()) {
    self.directory = directory
    self.integrity = IntegrityGuard(integrity)
    device = DeviceChoice(deviceName, ofWalletIn: directory)
  }

  /// Scans this process at random moments while it waits for terminals; on a simulated device, which protects nothing, it
  /// does not. A sign of tampering ends the program, after its secrets were erased.
  func watchIntegrity(as format: OutputFormat) {
    guard case .linux = device else { return }
    integrity.watch { found in
      SecretPages.erase()
      let error = InputError(description: found.map(\.description).joined(separator: "; "), code: .device)
      Console.endProgram(Console.fail(error, as: format).rawValue)
    }
  }

  /// Opens a store that exists; only `tap wallet add` creates one. Its content is locked.
  func lockedStore() throws -> SQLiteWalletStore {
    guard FileManager.default.fileExists(atPath: directory + "/" + SQLiteWalletStore.fileName) else {
      let isClosed = !FileManager.default.isExecutableFile(atPath: directory)
      if isClosed, FileManager.default.fileExists(atPath: directory) {
        throw InputError(
          description: "\(directory) cannot be searched for a wallet: check what it is, and its owner",
          code: .fileRefused)
      }
      throw InputError(
        description: "\(directory) holds no wallet: tap wallet add makes one", code: .wallet, exit: .error)
    }
    return try SQLiteWalletStore(directory: directory)
  }

  /// Opens a store that exists, with the key of its device. A wallet that was not set up stays so, and has no card.
  func unlockedStore() async throws -> SQLiteWalletStore {
    let store = try lockedStore()
    if try store.binding() != nil || store.isKeyLost() { _ = try await open(store) }
    return store
  }

  /// Opens the wallet of a store, which was set up.
  func open(
    _ store: SQLiteWalletStore, user: SimulatedUser = .approve, replenishment: (any ReplenishmentService)? = nil
  ) async throws -> Wallet {
    guard try store.binding() != nil || store.isKeyLost() else {
      throw InputError(description: "\(directory) is not set up: tap wallet add sets it up", code: .wallet)
    }
    let wallet = Wallet(
      store: store, device: try device.open(isNew: false, user: user), environment: device.environment(integrity),
      replenishment: replenishment)
    try await namingTheRemedy { () async throws(WalletError) in try await wallet.open() }
    return wallet
  }

  /// Opens the wallet of a store, or sets it up.
  ///
  /// - Parameter policy: Nil for the policy of the store. A wallet that was wiped needs one.
  func setUp(
    _ store: SQLiteWalletStore, policy: CardholderVerificationPolicy?, rollbackProtection: Bool
  ) async throws -> Wallet {
    let wallet = Wallet(
      store: store, device: try device.open(isNew: store.binding() == nil), environment: device.environment(integrity))
    try await namingTheRemedy { () async throws(WalletError) in
      do throws(WalletError) {
        try await wallet.open()
        if let policy { try await wallet.configure(policy) }
      } catch .notInitialized {
        try await wallet.configure(policy ?? .biometricOnly, rollbackProtection: rollbackProtection)
      } catch .authenticationKeyInvalidated where policy != nil {
        try await wallet.configure(policy ?? .biometricOnly, rollbackProtection: rollbackProtection)
      }
    }
    return wallet
  }

  /// Names the commands that set a wiped wallet up again.
  private func namingTheRemedy(_ body: () async throws(WalletError) -> Void) async throws {
    do throws(WalletError) {
      try await body()
    } catch {
      if case .authenticationKeyInvalidated = error {
        Console.note("tap wallet add or tap device enrol, with --policy, sets the wallet up again.")
      }
      throw error
    }
  }

  /// Removes all cards and the device's key; without the device, whose key is then left, only the cards. Returns how many
  /// cards were removed.
  func reset() async throws -> Int {
    let store = try lockedStore()
    let count = try store.cardCount()
    if device.exists {
      try await Wallet(store: store, device: device.open(isNew: false)).reset().forEach(Console.warn)
    } else {
      let key = try? store.binding()?.key.identifier
      try store.wipe()
      if let key {
        try store.addFormerKey(key)
        Console.warn(.keyNotDeleted(.unavailable(reason: "there is no device")))
      }
    }
    return count
  }

  /// The card of a name, which must exist, or the default card, if there is one.
  func card(_ id: String?) async throws -> DigitalCard? {
    let cards = try await unlockedStore().cards()
    guard let id else { return cards.first(where: \.isDefault) }
    guard let card = cards.first(where: { $0.id == id }) else { throw WalletStoreError.unknownCard(id) }
    return card
  }
}

extension Console {
  /// Writes what a command that took a right away could not do besides.
  static func warn(_ warning: WithdrawalWarning) {
    note("warning: \(warning)")
    if case .stillAnswering = warning { noteUncertainty() }
  }
}

/// How a wallet that is set up notices a restored copy.
struct SetUpOptions: ParsableArguments {
  @Flag(help: "Set a new wallet up without a counter of the device: a restored copy of its folder is not noticed.")
  var withoutRollbackProtection = false
}

extension DeviceChoice {
  /// The help text of the option.
  static let help = "The device on which the wallet was set up: \(forms) A file of that name is ./linux."

  /// Whether there is a device. That of this machine reports by itself what it lacks.
  var exists: Bool {
    switch self {
    case .simulated(let file): FileManager.default.fileExists(atPath: file)
    case .linux: true
    }
  }

  /// What decides whether this process may pay: on a real device the checks of its integrity.
  func environment(_ integrity: IntegrityGuard) -> any PaymentEnvironment {
    switch self {
    case .simulated: OpenEnvironment()
    case .linux: IntegrityEnvironment(integrity)
    }
  }

  /// Opens the device.
  ///
  /// - Parameters:
  ///   - isNew: Whether the wallet was not set up yet. It gets a new simulated device with a passcode and an enrolled
  ///     finger, unless there is one.
  ///   - user: What the person at a simulated device does.
  func open(isNew: Bool, user: SimulatedUser = .approve) throws -> DevicePorts {
    switch self {
    case .linux(let socket): return DeviceLinkClient(socket: socket).ports
    case .simulated(let file):
      guard exists || isNew else {
        throw InputError(
          description: "\(file): there is no device, and the wallet was set up on one: name its file with --device",
          code: .device, exit: .error)
      }
      let isMade = !exists
      let device = try StoredDevice(path: file, user: user)
      if isMade { try device.apply([.setPasscode, .enrolBiometric]) }
      return device.ports
    }
  }
}
