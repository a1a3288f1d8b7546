import AccessMessages
import ArgumentParser
import JSON
import MobileAuthentication
import WalletAccess

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
        return WalletRun.Success(status, try await coordinator.isLoggedIn(), run.device.protection)
      } catch {
        let isLoggedIn = (try? await coordinator.isLoggedIn()) ?? false
        // People get the error alone: the issuer has not answered whether the device is registered.
        let shown = WalletRun.Success(.unknown, isLoggedIn, run.device.protection)
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
      let shown = WalletRun.Success(status ?? .unknown, false, run.device.protection)
      return WalletRun.Success(members: shown.members, text: "unlinked; \(shown.text)")
    }
  }
}

extension WalletRun.Success {
  init(_ status: DeviceStatus, _ isLoggedIn: Bool, _ protection: DeviceKeyProtection) {
    let actions = AllowedActions(status, isLoggedIn: isLoggedIn)
    let allowed = AllowedActions.Action.allCases.filter(actions.allows).map(\.rawValue)
    members = [
      ("registered", JSONValue(status.isRegistered)), ("active", JSONValue(status.isActive)),
      ("loggedIn", JSONValue(isLoggedIn)), ("allowed", JSONValue(allowed.map { JSONValue($0) })),
      ("keyProtection", JSONValue(protection.rawValue)),
    ]
    let words = [
      status.isRegistered ? status.isActive ? "registered" : "registered, deactivated by the issuer" : "not registered",
      isLoggedIn ? "logged in" : "not logged in", "keys: \(protection.rawValue)",
      "allowed: \(allowed.joined(separator: " "))",
    ]
    text = words.joined(separator: ", ")
  }
}
