import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import Foundation
import MobileAuthentication
import ProgramSupport
import WalletAccess
import WalletDatabase

/// The cards of one issuer in the folder of a wallet, which has one store, one policy and one default card for all issuers.
struct CardFolder: Sendable {
  let directory: String
  let device: AuthenticationDevice
  /// The origin of the issuer's server.
  let issuer: String
  /// Whether the cards of an older version, which stored no issuer, are those of this one: it was the only server.
  let ownsFormerCards: Bool
  let local: FileLocalData

  /// The deliveries of the issuer that are pending.
  var deliveries: DeliveryFile { DeliveryFile(path: directory + "/deliveries.json", issuer: issuer) }

  private var hasStore: Bool { FileManager.default.fileExists(atPath: directory + "/" + SQLiteWalletStore.fileName) }

  /// Opens the wallet. One that was not set up stays uninitialized.
  ///
  /// - Throws: `WalletError.authenticationKeyInvalidated` for a wallet that was wiped, and others.
  func wallet(_ replenishment: CardService? = nil) async throws -> Wallet {
    let store = try SQLiteWalletStore(directory: directory)
    let wallet = Wallet(
      store: store, device: device.ports,
      environment: device.integrity.map { IntegrityEnvironment($0) } ?? OpenEnvironment(), replenishment: replenishment)
    guard try store.binding() != nil || store.isKeyLost() else { return wallet }
    try await open(wallet, in: store)
    if ownsFormerCards {
      try store.adoptCards(by: issuer)
      try deliveries.adopt()
    }
    return wallet
  }

  private func open(_ wallet: Wallet, in store: SQLiteWalletStore) async throws {
    do throws(WalletError) {
      try await wallet.open()
    } catch {
      if case .authenticationKeyInvalidated = error { try await noteLostCards(store) }
      throw error
    }
  }

  /// Remembers that each issuer has to learn of the lost cards, unless another process has set the wallet up since.
  private func noteLostCards(_ store: SQLiteWalletStore) async throws {
    try await local.change { records in
      guard (try? store.isKeyLost()) == true else { return }
      for index in records.wallets.indices { records.wallets[index].hasUnreportedCardLoss = true }
    }
  }

  /// The policy of the folder: that of its store, and `.biometricOnly` before the first one; nil for a wallet that was wiped.
  func policy() throws(WalletStoreError) -> CardholderVerificationPolicy? {
    guard hasStore else { return .biometricOnly }
    let store = try SQLiteWalletStore(directory: directory)
    if let policy = try store.binding()?.policy { return policy }
    return try store.isKeyLost() ? nil : .biometricOnly
  }

  /// Checks that a user may enrol or log in under a policy, before anything is sent.
  ///
  /// - Parameter policy: The policy that the user has chosen; nil for the one of the folder.
  /// - Throws: `WalletError.authenticationKeyInvalidated` for a wallet that was wiped, now or before, and no policy;
  ///   `.alreadyConfigured` for a folder whose cards have another policy.
  func check(_ policy: CardholderVerificationPolicy?) async throws {
    guard hasStore else { return }
    do {
      let wallet = try await wallet()
      guard let policy, await wallet.isInitialized, let present = try self.policy() else { return }
      if policy != present, try await !wallet.cards().isEmpty { throw WalletError.alreadyConfigured(present) }
    } catch WalletError.authenticationKeyInvalidated(let reason, let failure) {
      guard policy != nil else { throw WalletError.authenticationKeyInvalidated(reason, wipeFailure: failure) }
    }
  }

  /// Sets the wallet up under a policy that the user has chosen. A store without cards gets it in place of its own.
  func setUp(_ policy: CardholderVerificationPolicy, rollbackProtection: Bool) async throws {
    let wallet = Wallet(store: try SQLiteWalletStore(directory: directory), device: device.ports)
    do {
      try await wallet.open()
      if try self.policy() != policy, try await wallet.cards().isEmpty { try await wallet.reset() }
    } catch WalletError.notInitialized {
    } catch WalletError.authenticationKeyInvalidated(_, wipeFailure: nil) {}
    try await wallet.configure(policy, rollbackProtection: rollbackProtection)
  }
}

extension CardFolder: WalletContents {
  /// Removes the cards and deliveries of the issuer; with the last wallet of the folder also its policy and its key.
  func wipe() async throws(WalletContentsError) {
    guard hasStore else { return }
    do {
      try await removeCards()
      try deliveries.removeAll()
    } catch { throw WalletContentsError("the cards were not removed: \(error)") }
  }

  private func removeCards() async throws {
    let isLast = try await !local.read().wallets.contains { $0.server != issuer && $0.isInUse }
    let wallet: Wallet
    do {
      wallet = try await self.wallet()
      guard await wallet.isInitialized else { return }
      try await wallet.deleteCards(of: issuer).forEach(Console.warn)
    } catch WalletError.authenticationKeyInvalidated(_, wipeFailure: nil) {
      // All cards are gone, and the store remembers why.
      return
    } catch {
      // The cards of a store that does not open cannot pay.
      guard isLast else { throw error }
      let store = try SQLiteWalletStore(directory: directory)
      return try await Wallet(store: store, device: device.ports).reset().forEach(Console.warn)
    }
    if isLast, try await wallet.cards().isEmpty { try await wallet.reset().forEach(Console.warn) }
  }
}
