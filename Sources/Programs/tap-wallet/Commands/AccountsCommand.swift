import AccessMessages
import ArgumentParser
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// Lists what the device knows, without the network.
struct AccountsCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the authenticators of this device and their registrations.",
    help: CommandHelp(
      """
      The list needs no network. It has all authenticators that the device can have: whether the device has \
      what they need, whether they are set up, and whether authentication is possible right away.
      """,
      examples: [
        "tap-wallet accounts --state mobile": "Show which authenticators can authenticate right away."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let server = run.servers.named?.origin
    for authenticator in try await run.localData.authenticators() { authenticator.show(at: server, run.output) }
    let registrations = try await run.localData.registrations().filter {
      server == nil || $0.account.server == server
    }
    for record in registrations { show(record, run) }
    let identities = try await run.store.read().identities.filter { server == nil || $0.server == server }
    for identity in identities { show(identity, run) }
    let count = registrations.count
    return WalletRun.Success(text: count.counted("registration"))
  }

  private func show(_ identity: DeviceRecord, _ run: WalletRun) {
    let device = identity.information
    let push = device.pushToken == nil ? "" : ", push"
    run.output.event(
      "device",
      [
        ("server", JSONValue(identity.server)), ("name", JSONValue(device.name)),
        ("deviceId", JSONValue(device.deviceId)), ("push", JSONValue(device.pushToken != nil)),
      ], text: "device \(device.name.visible()) at \(identity.server), \(device.deviceId)\(push)")
  }

  private func show(_ record: RegistrationRecord, _ run: WalletRun) {
    let name = AuthenticatorChoice(of: record.aaid)?.rawValue ?? record.aaid.description
    let status = record.protection?.attempts.status(at: run.device.clocks.now)
    let (state, retries, coolDown) = (status ?? .unlocked).words
    let seconds = coolDown.wholeSeconds
    run.output.event(
      "registration",
      [
        ("account", JSONValue(record.account.username)), ("server", JSONValue(record.account.server)),
        ("authenticator", JSONValue(name)), ("aaid", JSONValue(record.aaid.description)),
        ("protection", JSONValue(state)), ("remainingRetries", retries.map { JSONValue($0) }),
        ("coolDownSeconds", JSONValue(seconds)),
      ],
      text: "\(record.account.username.visible()) at \(record.account.server): \(name) \(record.aaid)"
        + (state == "unlocked" ? "" : ", \(state)")
        + (seconds == 0 ? "" : ", entries are ignored for \(seconds.counted("second"))"))
  }
}

/// Removes registrations from the device only.
struct ForgetCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove registrations and their keys from this device, without the server.",
    help: CommandHelp(
      examples: [
        "tap-wallet forget --state mobile --account alice": "Remove what this device has of an account."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The user name; all accounts of the server when left out.")
  var account: String?
  @Option(help: "The authenticator; all when left out.")
  var authenticator: AuthenticatorChoice?

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let server = run.servers.named?.origin
    let matching = try await run.localData.registrations().filter { record in
      (account.map { record.account.username.hasSameOctets(as: $0) } ?? true)
        && (server == nil || record.account.server == server)
        && (authenticator == nil || AuthenticatorChoice(of: record.aaid) == authenticator)
    }
    guard account != nil || Set(matching.map(\.account.server)).count <= 1 else { throw run.servers.several }
    let aaids: [AAID?] = authenticator == nil ? [nil] : Set(matching.map(\.aaid)).map { $0 }
    for aaid in aaids { try await run.localData.deleteAuthenticator(username: account, aaid: aaid, server: server) }
    try await run.leaveUnusedServers()
    let count = matching.count
    return WalletRun.Success(
      members: [("removed", JSONValue(count))],
      text: "removed \(count.counted("registration")) from this device")
  }
}
