import AccessMessages
import ArgumentParser
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import ProgramSupport

/// Removes registrations at the server and on the device.
struct DeregisterCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Remove registrations of an account at the server and on this device.",
    help: CommandHelp(
      """
      The device's own signature authorises the request. When the server wants the person, the command \
      authenticates and tries once more. Registrations that the server does not have are removed from this \
      device. Without the server, tap-wallet forget removes what this device has.
      """,
      examples: [
        "tap-wallet deregister --state mobile --account alice": "Remove all registrations of an account."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The user name; asked for when there are several.")
  var account: String?
  @Option(help: "The authenticator; all of the account when left out.")
  var authenticator: AuthenticatorChoice?

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let account = try await run.account(self.account)
    let client = try await run.client(of: account)
    let kinds = try await registered(account, run, client.configuration.profile)
    for kind in kinds { try await deregister(account, kind, run, client) }
    try await run.leaveUnusedServers()
    return WalletRun.Success(members: [("account", JSONValue(account))], text: "deregistered \(account)")
  }

  /// The kinds to remove: nil stands for all at once.
  private func registered(
    _ account: String, _ run: WalletRun, _ profile: AuthenticatorProfile
  ) async throws -> [AuthenticatorKind?] {
    guard let authenticator else { return [nil] }
    return try await run.localData.registrations().filter { record in
      record.account.username.hasSameOctets(as: account) && AuthenticatorChoice(of: record.aaid) == authenticator
    }.map { profile.kind(of: $0.aaid) }
  }

  private func deregister(
    _ account: String, _ kind: AuthenticatorKind?, _ run: WalletRun, _ client: MobileAuthenticationClient
  ) async throws {
    let isDone = try await isDone(
      Deregistration(username: account, authenticator: kind, authorizing: .deviceSignature), client)
    guard !isDone else { return }
    let authentication = Authentication(username: account, options: Authentication.Options(run.interactions()))
    do throws(OperationError) {
      let authorization = try await authentication.execute(on: client).authorization
      let operation = Deregistration(username: account, authenticator: kind, authorizing: .authorization(authorization))
      try await operation.execute(on: client)
    } catch {
      guard error == .userNotRegisteredInServer else { throw error }
      let aaid = kind.map { client.configuration.profile.aaid(of: $0) }
      try await run.localData.deleteAuthenticator(username: account, aaid: aaid)
    }
  }

  /// Whether the signature of the device is enough in place of the person. It is not after the device has lost its keys.
  private func isDone(_ operation: Deregistration, _ client: MobileAuthenticationClient) async throws -> Bool {
    do throws(OperationError) {
      try await operation.execute(on: client)
      return true
    } catch {
      switch error {
      // The person cannot help against a wrong clock.
      case .refused(let refusal) where refusal.failure?.code == .clockSkew: throw OperationError.clockSkewTooBig
      case .refused(let refusal) where refusal.httpStatus == 401: return false
      case .fido(.keyDisappearedPermanently, _): return false
      default: throw error
      }
    }
  }
}
