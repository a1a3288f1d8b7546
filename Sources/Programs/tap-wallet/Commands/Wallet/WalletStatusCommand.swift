import AccessMessages
import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import Documents
import FIDOUAF
import Foundation
import JSON
import MobileAuthentication
import ProgramSupport
import WalletAccess
import WalletDatabase

/// Shows whether the issuer links this device to a wallet, and what the user may do.
struct WalletStatusCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Check this device at the issuer, and show what is allowed.",
    help: CommandHelp(
      """
      A check that fails removes nothing. With --format json it shows an unregistered, inactive device before \
      the error.
      """,
      examples: [
        "tap-wallet status --state mobile": "Show whether the device is linked and active."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let wallet = try run.walletOnAnyDevice()
    do {
      let view = try await run.view(of: wallet)
      if case .unreached = view.screen { try await run.requireIssuer(wallet) }
      if case .update = view.screen, let versions = view.latest { throw WalletAccessError.outdated(versions) }
      return WalletRun.Success(
        view, run.device.protection, rollbackProtection: try await run.hasRollbackProtection(),
        policy: try run.shownPolicy())
    } catch {
      let isLoggedIn = (try? await DeviceCoordinator(wallet).isLoggedIn()) ?? false
      // People get the error alone: the issuer has not answered whether the device is registered.
      let shown = WalletRun.Success(
        .unanswered(error, isLoggedIn: isLoggedIn), run.device.protection,
        rollbackProtection: try? await run.hasRollbackProtection(), policy: try? run.shownPolicy())
      run.output.event("status", shown.members, text: nil)
      throw error
    }
  }
}

/// Removes the link between this device and its wallet.
struct UnlinkCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Unlink this device from its wallet, and remove what it keeps of it.",
    help: CommandHelp(
      """
      The device's own signature authorises the request: no login is needed, and an open session ends.
      """,
      examples: [
        "tap-wallet unlink --state mobile": "Remove the wallet from this device."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let status = try await DeviceCoordinator(run.wallet()).removeDevice()
    try await run.leaveUnusedServers()
    let shown = WalletRun.Success(.unlinked(status ?? .unknown), run.device.protection)
    return WalletRun.Success(members: shown.members, text: "unlinked; \(shown.text)")
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
    } catch let error as WalletStoreError { throw CommandFailure("Wallet", of: error) }
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

extension WalletView {
  /// The view after the device was unlinked.
  fileprivate static func unlinked(_ status: DeviceStatus) -> WalletView {
    WalletView(
      FirstScreen(status, hasPINLogin: true), AllowedActions(status, isLoggedIn: false), status: status)
  }

  /// The view after the issuer or the device gave no answer.
  fileprivate static func unanswered(_ error: any Error, isLoggedIn: Bool) -> WalletView {
    if case WalletAccessError.outdated(let versions) = error {
      return WalletView(.update, .outdated, isLoggedIn: isLoggedIn, latest: versions)
    }
    return WalletView(.unreached, .unreached(isLoggedIn: isLoggedIn), isLoggedIn: isLoggedIn)
  }

  /// The view as members of an event.
  var members: [(String, JSONValue?)] {
    [
      ("screen", JSONValue(screen.rawValue)), ("registered", JSONValue(status?.isRegistered ?? false)),
      ("active", JSONValue(status?.isActive ?? false)), ("loggedIn", JSONValue(isLoggedIn)),
      ("allowed", JSONValue(allowed.ordered.map { JSONValue($0.rawValue) })), ("latest", latest?.json),
    ]
  }

  /// The status of the device in words.
  fileprivate var statusWords: [String] {
    guard let status else { return ["server not reached"] }
    return [
      status.isRegistered
        ? status.isActive ? "registered" : "registered, deactivated by the issuer" : "not registered",
      isLoggedIn ? "logged in" : "not logged in",
    ]
  }
}

extension WalletRun.Success {
  init(
    _ view: WalletView, _ protection: DeviceKeyProtection, rollbackProtection: Bool? = nil, policy: ShownPolicy? = nil
  ) {
    members =
      view.members + [
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
      [view.screen.words.title, "keys: \(protection.rawValue)"]
      + (rollbackProtection == false ? ["no rollback protection"] : []) + policyWords
      + (view.latest.map { ["version \($0.latest) is at \($0.url)"] } ?? [])
      + ["allowed: \(view.allowed.ordered.map(\.rawValue).joined(separator: " "))"]
    text = (view.statusWords + words).joined(separator: ", ")
  }
}
