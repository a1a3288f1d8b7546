import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import ProgramSupport
import WalletAccess

/// The cards in the folder of a wallet, and their issuer.
struct WalletCards: Sendable {
  let access: WalletAccess
  let wallet: Wallet
  let service: CardService
  let deliveries: DeliveryFile

  /// The cards of the issuer.
  func own() async throws -> [DigitalCard] { try await service.cards(in: wallet) }

  /// Sets up a wallet that was never wiped and has no policy yet. The user chooses another policy at login.
  func setUp(rollbackProtection: Bool) async throws {
    guard await !wallet.isInitialized else { return }
    try await CommandFailure.converting {
      try await wallet.configure(.biometricOnly, rollbackProtection: rollbackProtection)
    }
  }

  /// Gets keys for a card.
  ///
  /// - Returns: The payments that are left; nil when more are left than the threshold.
  func replenish(_ card: String, isForced: Bool) async throws -> Int? {
    try await deliveries.whileAlone { try await replenishAlone(card, isForced: isForced) }
  }

  private func replenishAlone(_ card: String, isForced: Bool) async throws -> Int? {
    let outcome: ReplenishmentOutcome
    do throws(ReplenishmentError) {
      outcome = try await wallet.replenish(digitalCardID: card, isForced: isForced)
    } catch { throw CommandFailure(error) }
    guard case .replenished(let left) = outcome else { return nil }
    try await service.finishReplenishment(ofCard: card)
    return left
  }
}

extension WalletRun {
  /// Opens the cards of a server. A wallet that was not set up has none.
  ///
  /// - Parameter server: The server of the issuer; nil for the only one.
  /// - Throws: `CommandFailure` with the code `authenticationKeyInvalidated` for a wallet that was wiped.
  func cards(of server: KnownServer? = nil) async throws -> WalletCards {
    let issuer = try server ?? servers.only()
    let access = try wallet(at: issuer.origin)
    let folder = cardFolder(of: issuer.origin)
    let service = CardService(WalletConnection(access), deliveries: folder.deliveries, warn: Console.warn)
    let wallet = try await CommandFailure.converting { try await folder.wallet(service) }
    return WalletCards(access: access, wallet: wallet, service: service, deliveries: folder.deliveries)
  }

  /// The cards of an issuer in the folder.
  func cardFolder(of issuer: String) -> CardFolder {
    CardFolder(
      directory: options.state, device: device.unlockingSensor(output), issuer: issuer,
      ownsFormerCards: settings.servers.first.map { $0.origin == issuer } ?? true, local: store)
  }
}

extension Console {
  /// Writes what a command that took a right away could not do besides.
  @Sendable
  static func warn(_ warning: WithdrawalWarning) {
    note("warning: \(warning)")
    if case .stillAnswering = warning { noteUncertainty() }
  }
}

extension CommandFailure {
  /// The code of a wallet that was wiped because the device had lost its key, on every path.
  static let wipedCode = "authenticationKeyInvalidated"
  static let wipedRemedy =
    " with tap-wallet login or enrol and --policy biometricOnly or userPresence (after tap-wallet logout, where a session is open)"

  /// Runs a call to the wallet or its store, and converts their errors.
  static func converting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as WalletStoreError {
      throw CommandFailure("Wallet", of: error)
    } catch let error as WalletError { throw CommandFailure(error) }
  }

  init(_ error: ReplenishmentError) {
    switch error {
    case .service(.network): self.init("NetworkError", of: error)
    case .service(.declined): self.init("declined", of: error)
    default: self.init("Wallet", of: error)
    }
  }

  init(_ error: WalletError) {
    switch error {
    case .authenticationKeyInvalidated: self.init(Self.wipedCode, "\(error)\(Self.wipedRemedy)", error.exit)
    case .alreadyConfigured(let policy):
      self.init(
        "alreadyConfigured", "the cards of this folder have the policy \(policy.rawValue): leave --policy out",
        error.exit)
    case .storeRolledBack: self.init("storeRolledBack", of: error)
    case .device(.biometricNotEnrolled(let reason)): self.init("biometricNotEnrolled", reason, error.exit)
    default: self.init("Wallet", of: error)
    }
  }
}
