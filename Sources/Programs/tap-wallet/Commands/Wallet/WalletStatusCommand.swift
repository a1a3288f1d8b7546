import AccessMessages
import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import Foundation
import JSON
import MobileAuthentication
import ProgramSupport
import WalletAccess
import WalletDatabase

/// Shows whether the issuer links this device to a wallet, and what the user may do.
struct WalletStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Check this device at the issuer, and show what is allowed.",
    discussion: """
      A check that fails removes nothing. With --format json it shows an unregistered, inactive device before the error.
      """)

  @OptionGroup var state: StateOptions

  func run() async throws {
    try await WalletRun.perform("status", state) { run in
      let wallet = try run.walletOnAnyDevice()
      let coordinator = DeviceCoordinator(wallet)
      do {
        try await run.checkVersion(wallet)
        let status = try await coordinator.status()
        return WalletRun.Success(
          status, try await coordinator.isLoggedIn(), run.device.protection,
          rollbackProtection: try await run.hasRollbackProtection(), policy: try run.shownPolicy())
      } catch {
        let isLoggedIn = (try? await coordinator.isLoggedIn()) ?? false
        // People get the error alone: the issuer has not answered whether the device is registered.
        let shown = WalletRun.Success(
          .unknown, isLoggedIn, run.device.protection, rollbackProtection: try? await run.hasRollbackProtection(),
          policy: try? run.shownPolicy())
        run.output.event("status", shown.members, text: nil)
        throw error
      }
    }
  }
}

/// Removes the link between this device and its wallet.
struct UnlinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Unlink this device from its wallet, and remove what it keeps of it.",
    discussion: "The device's own signature authorises the request: no login is needed, and an open session ends.")

  @OptionGroup var state: StateOptions

  func run() async throws {
    try await WalletRun.perform("unlink", state) { run in
      let status = try await DeviceCoordinator(run.wallet()).removeDevice()
      try await run.leaveUnusedServers()
      let shown = WalletRun.Success(status ?? .unknown, false, run.device.protection)
      return WalletRun.Success(members: shown.members, text: "unlinked; \(shown.text)")
    }
  }
}

/// The policy as `status` shows it.
enum ShownPolicy {
  /// How the holder is verified.
  case policy(CardholderVerificationPolicy)
  /// The wallet was wiped because the device had lost its key.
  case wiped
}

extension WalletRun {
  fileprivate func shownPolicy() throws -> ShownPolicy {
    do {
      return try cardFolder(of: servers.only().origin).policy().map { .policy($0) } ?? .wiped
    } catch let error as WalletStoreError { throw CommandFailure("Wallet", "\(error)") }
  }

  /// Whether a restored copy of the folder is noticed; nil before a PIN, a password or a payment card is protected.
  func hasRollbackProtection() async throws -> Bool? {
    var isProtected = try await localData.hasRollbackProtection()
    guard FileManager.default.fileExists(atPath: options.state + "/" + SQLiteWalletStore.fileName),
      let binding = try SQLiteWalletStore(directory: options.state).binding()
    else { return isProtected }
    let counter = try await device.ports.keys.counter(of: binding.key.identifier)
    isProtected = isProtected != false && counter != nil
    return isProtected
  }
}

extension WalletRun.Success {
  init(
    _ status: DeviceStatus, _ isLoggedIn: Bool, _ protection: DeviceKeyProtection, rollbackProtection: Bool? = nil,
    policy: ShownPolicy? = nil
  ) {
    let actions = AllowedActions(status, isLoggedIn: isLoggedIn)
    let allowed = AllowedActions.Action.allCases.filter(actions.allows).map(\.rawValue)
    members = [
      ("registered", JSONValue(status.isRegistered)), ("active", JSONValue(status.isActive)),
      ("loggedIn", JSONValue(isLoggedIn)), ("allowed", JSONValue(allowed.map { JSONValue($0) })),
      ("keyProtection", JSONValue(protection.rawValue)),
      ("rollbackProtection", rollbackProtection.map { JSONValue($0) }),
    ]
    var policyWords: [String] = []
    switch policy {
    case .policy(let policy):
      members.append(("policy", JSONValue(policy.rawValue)))
      policyWords = ["policy: \(policy.rawValue)"]
    case .wiped:
      members.append(("wiped", JSONValue(true)))
      policyWords = [
        "wiped: the device has lost the key of the cards, set the wallet up again\(CommandFailure.wipedRemedy)"
      ]
    case nil: break
    }
    let words =
      [
        status.isRegistered
          ? status.isActive ? "registered" : "registered, deactivated by the issuer" : "not registered",
        isLoggedIn ? "logged in" : "not logged in", "keys: \(protection.rawValue)",
      ] + (rollbackProtection == false ? ["no rollback protection"] : []) + policyWords + [
        "allowed: \(allowed.joined(separator: " "))"
      ]
    text = words.joined(separator: ", ")
  }
}
