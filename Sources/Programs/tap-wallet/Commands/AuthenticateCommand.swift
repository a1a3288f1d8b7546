import ArgumentParser
import JSON
import MobileAuthentication
import ProgramSupport

/// Authenticates a user.
struct AuthenticateCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticate",
    abstract: "Authenticate a user of this device at the server, and print the authorization.",
    help: CommandHelp(
      """
      Prompts: account, authenticator, confirm, pin, password. The authorization, a secret until it expires, \
      is printed and not stored.
      """,
      examples: [
        "tap-wallet authenticate --state mobile --authenticator pin":
          "Authenticate by PIN, and print the authorization."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The user name; asked for when there are several.")
  var account: String?
  @Option(help: "The authenticator; asked for when several can be used.")
  var authenticator: AuthenticatorChoice?

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let account = try await run.account(self.account)
    let authentication = Authentication(
      username: account, options: Authentication.Options(run.interactions(authenticator)))
    let result = try await authentication.execute(on: try await run.client(of: account))
    return WalletRun.Success(authenticated: result)
  }
}

extension Authentication.Options {
  /// All interactions.
  init(_ interactions: WalletInteractions) {
    self.init()
    accountSelector = interactions
    authenticatorSelector = interactions
    transactionConfirmer = interactions
    secretVerifiers = [.pin: interactions, .password: interactions]
    biometricUserVerifier = interactions
    devicePasscodeUserVerifier = interactions
  }
}

extension WalletRun.Success {
  init(authenticated result: Authentication.Result) {
    let (user, authenticator) = (result.account.username, AuthenticatorChoice(result.authenticator).rawValue)
    members = [
      ("account", JSONValue(user)), ("authenticator", JSONValue(authenticator)),
      ("transactionConfirmed", JSONValue(result.isTransactionConfirmed)),
      ("authorization", result.authorization.json),
    ]
    text =
      result.isTransactionConfirmed
      ? "\(user) confirmed the transaction with \(authenticator)" : "authenticated \(user) with \(authenticator)"
    text += result.authorization.lines.map { "\n" + $0 }.joined()
  }

  init(registered result: Registration.Result) {
    members = [
      ("account", JSONValue(result.account.username)),
      ("authenticator", JSONValue(AuthenticatorChoice(result.authenticator).rawValue)),
      ("authorization", result.authorization.json),
    ]
    text = "registered \(result.account.username) with \(AuthenticatorChoice(result.authenticator).rawValue)"
  }
}

extension Authorization {
  /// The fields that authorise a later request, as they are sent; empty when the server returned none.
  var lines: [String] {
    (token.map { ["Authorization: Bearer \($0)"] } ?? []) + cookies.map { "Cookie: \($0)" }
  }

  /// The fields that authorise a later request; nil when the server returned none.
  var json: JSONValue? {
    guard !isEmpty else { return nil }
    return JSONValue(members: [
      ("cookies", JSONValue(cookies.map { JSONValue($0) })), ("token", token.map { JSONValue($0) }),
    ])
  }
}
