import ArgumentParser
import MobileAuthentication
import ProgramSupport

/// Registers an authenticator.
struct RegisterCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Register an authenticator of this device for an account.",
    help: CommandHelp(
      """
      Prompts: account, authenticator, pin, password. For a name that has an authenticator on this device, you \
      authenticate with it first, unless --token is given. A server that is not open, and a name that was used \
      before, need a token: the one that tap-server user add prints for a new name, or tap-server user token \
      for any other.
      """,
      examples: [
        "tap-wallet register --state mobile --server https://127.0.0.1:9443 --ca access/ca.pem --account alice --authenticator pin":
          "Register a PIN for an account.",
        "tap-wallet register --state mobile --authenticator biometric":
          "Register biometrics too, at the stored server.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Option(help: "The user name; asked for when left out.")
  var account: String?
  @Option(help: "The authenticator; asked for when left out.")
  var authenticator: AuthenticatorChoice?
  @OptionGroup var target: TargetOptions
  @Option(parsing: .unconditional, help: "The token that authorises the registration.")
  var token: String?
  @OptionGroup var rules: EntryRuleOptions
  @Flag(help: "Keep the key of a finger or face when another one is enrolled on the device.")
  var keepOnNewBiometrics = false
  @Flag(help: "Accept the device passcode in place of a finger or face. Needs --keep-on-new-biometrics.")
  var allowPasscode = false

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let prompt = Prompt(name: "account", text: "Account")
    let account = if let account { account } else { try await run.prompter.ask(prompt) }
    let registration = Registration(
      username: account, server: try run.servers.only().origin, options: try options(run))
    let client = try await run.client()
    let result = try await registration.execute(on: client)
    try await target.change(run, client)
    return WalletRun.Success(registered: result)
  }

  private func options(_ run: WalletRun) throws -> Registration.Options {
    var options = Registration.Options(run.interactions(authenticator, try rules.stored(in: run)))
    options.authorization = Authorization(token: token)
    options.authentication = Authentication.Options(run.interactions())
    options.deviceInformation = target.information
    options.invalidateOnNewOsBiometrics = !keepOnNewBiometrics
    options.allowDevicePasscodeAsFallback = allowPasscode
    return options
  }
}

/// How the servers call this device, and where they send push messages: for the first registration, and a change with a later
/// one.
struct TargetOptions: ParsableArguments {
  @Option(help: "The name of the device; needed by the first registration, and changed by a later one.")
  var name: String?
  @Option(help: "The address for push messages, also with a later registration.")
  var push: String?
  @OptionGroup var retry: RetryOptions

  /// The information of a first registration; nil without a name.
  var information: NewDeviceInformation? { name.map { NewDeviceInformation(name: $0, pushToken: push) } }

  /// Changes what differs after a registration.
  func change(_ run: WalletRun, _ client: MobileAuthenticationClient) async throws {
    let records = try await run.store.read()
    let present = records.accounts.compactMap { records.device(at: $0.account.server)?.information }
    let change = DeviceInformationChange(
      name: present.allSatisfy { $0.name == name } ? nil : name,
      push: present.allSatisfy { $0.pushToken == push } ? nil : push.map { .enabled(token: $0) },
      retryPolicy: retry.policy)
    try await change.execute(on: client)
  }
}

extension Registration.Options {
  /// All interactions.
  init(_ interactions: WalletInteractions) {
    self.init()
    authenticatorSelector = interactions
    enrollers = [.pin: interactions, .password: interactions]
    biometricUserVerifier = interactions
    devicePasscodeUserVerifier = interactions
  }
}
