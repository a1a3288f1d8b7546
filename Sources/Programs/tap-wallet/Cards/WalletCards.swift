import AccessMessages
import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import Foundation
import JSON
import MobileAuthentication
import WalletAccess
import WalletDatabase

/// The cards in the folder of a wallet, and their issuer.
struct WalletCards: Sendable {
  let access: WalletAccess
  let wallet: Wallet
  let service: CardService
  let deliveries: DeliveryFile

  /// Runs a request to the issuer and converts its errors.
  func following<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as ProvisioningError { throw CommandFailure(error) }
  }

  /// Gets keys for a card.
  ///
  /// - Returns: The payments that are left; nil when more are left than the threshold.
  func replenish(_ card: String, isForced: Bool) async throws -> Int? {
    try await following {
      try await deliveries.whileAlone { try await replenishAlone(card, isForced: isForced) }
    }
  }

  private func replenishAlone(_ card: String, isForced: Bool) async throws -> Int? {
    let outcome: ReplenishmentOutcome
    do throws(ReplenishmentError) {
      outcome = try await wallet.replenish(digitalCardID: card, isForced: isForced)
    } catch { throw CommandFailure(error) }
    guard case .replenished(let left) = outcome else { return nil }
    return try await following {
      try await service.finishReplenishment(ofCard: card)
      return left
    }
  }
}

extension WalletRun {
  /// Opens the cards. The first use creates their store in the wallet's folder, bound to the device.
  func cards() async throws -> WalletCards {
    let access = try wallet()
    let deliveries = DeliveryFile(path: options.state + "/deliveries.json")
    let service = CardService(WalletConnection(access), deliveries: deliveries)
    return WalletCards(
      access: access, wallet: try await paymentWallet(service), service: service, deliveries: deliveries)
  }

  private func paymentWallet(_ service: CardService) async throws -> Wallet {
    do {
      let store = try SQLiteWalletStore(directory: options.state)
      let wallet = Wallet(
        store: store, device: device.ports,
        environment: device.integrity.map { IntegrityEnvironment($0) } ?? OpenEnvironment(), replenishment: service)
      try await wallet.configure(
        store.binding()?.policy ?? .biometricOnly, rollbackProtection: !options.withoutRollbackProtection)
      return wallet
    } catch let error as WalletStoreError {
      throw CommandFailure("Wallet", "\(error)")
    } catch let error as WalletError { throw CommandFailure(error) }
  }
}

/// The cards and payment keys of a wallet's folder, which are removed with the wallet.
struct CardContents: WalletContents {
  let directory: String
  let device: AuthenticationDevice

  func wipe() async throws(WalletContentsError) {
    guard FileManager.default.fileExists(atPath: directory + "/" + SQLiteWalletStore.fileName) else { return }
    do {
      try await Wallet(store: SQLiteWalletStore(directory: directory), device: device.ports).reset()
      try DeliveryFile(path: directory + "/deliveries.json").removeAll()
    } catch { throw WalletContentsError("the cards were not removed: \(error)") }
  }
}

extension CommandFailure {
  init(_ error: ProvisioningError) {
    switch error {
    case .unreached: self.init(error.code, "\(error)", .notReached)
    case .refused, .deviceInactive, .deviceUnlinked: self.init(error.code, "\(error)", .refused)
    case .malformed, .envelope, .wallet, .storage: self.init(error.code, "\(error)")
    }
  }

  init(_ error: ReplenishmentError) {
    switch error {
    case .service(.network): self.init("NetworkError", "\(error)", .notReached)
    case .service(.declined): self.init("declined", "\(error)", .refused)
    default: self.init("Wallet", "\(error)")
    }
  }

  init(_ error: WalletError) {
    switch error {
    case .authenticationKeyInvalidated: self.init("KEY_DISAPPEARED_PERMANENTLY", "\(error)", .refused)
    default: self.init("Wallet", "\(error)")
    }
  }
}
