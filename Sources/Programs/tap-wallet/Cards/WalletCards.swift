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
  /// The file of the lock under which keys are requested and stored.
  let lock: String

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
    try await DeliveryLock.holding(lock) { try await replenishAlone(card, isForced: isForced) }
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
    let service = CardService(
      WalletConnection(access: access), deliveries: DeliveryFile(path: options.state + "/deliveries.json"))
    return WalletCards(
      access: access, wallet: try await paymentWallet(service), service: service,
      lock: options.state + "/deliveries.lock")
  }

  private func paymentWallet(_ service: CardService) async throws -> Wallet {
    do {
      let store = try SQLiteWalletStore(directory: options.state)
      let wallet = Wallet(
        store: store, device: device.ports,
        environment: device.integrity.map { IntegrityEnvironment($0) } ?? OpenEnvironment(), replenishment: service)
      try await wallet.configure(store.binding()?.policy ?? .biometricOnly)
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

/// The connection of the cards to their issuer: the session and the identity of the wallet.
struct WalletConnection: ProvisioningConnection {
  let access: WalletAccess

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
  ) async throws(ProvisioningError) -> JSONValue {
    do throws(WalletAccessError) {
      let response = try await access.sendInSession(method, path, body)
      guard let json = try? JSONValue(parsing: response.body) else {
        throw WalletAccessError.malformed("it is not JSON")
      }
      return json
    } catch { throw ProvisioningError(error) }
  }

  func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8] {
    do throws(WalletAccessError) {
      return try await access.decrypt(envelope)
    } catch {
      if case .malformed(let reason) = error { throw .envelope(reason) }
      throw ProvisioningError(error)
    }
  }
}

extension ProvisioningError {
  fileprivate init(_ error: WalletAccessError) {
    self =
      switch error {
      case .invocationFailed: .unreached("\(error)")
      case .inactive: .deviceInactive
      case .notLinked, .unlinked: .deviceUnlinked
      case .malformed(let reason): .malformed(reason)
      default: .refused(code: error.code, reason: "\(error)")
      }
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
