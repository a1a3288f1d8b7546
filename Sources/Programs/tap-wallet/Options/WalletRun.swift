import ArgumentParser
import CardProvisioning
import DeviceAuthentication
import DeviceFile
import DeviceLink
import Foundation
import JSON
import MobileAuthentication
import WalletAccess

/// One run of a command on the folder of a wallet.
struct WalletRun: Sendable {
  let options: StateOptions
  let settings: Settings
  let output: Output
  let prompter: Prompter
  let device: AuthenticationDevice
  let store: FileLocalData

  /// What a command ends with: members of the last line, and the sentence for people.
  struct Success: Sendable {
    var members: [(String, JSONValue?)] = []
    var text: String
  }

  /// Performs a command of FIDO UAF.
  static func perform(
    _ operation: String, _ options: ProtocolOptions,
    _ body: @escaping @Sendable (WalletRun) async throws -> Success
  ) async throws {
    try await perform(operation, options.state, options, body)
  }

  /// Opens the folder, runs a command, prints its last line and ends with its exit code. A signal cancels the command.
  static func perform(
    _ operation: String, _ options: StateOptions, _ protocolOptions: ProtocolOptions? = nil,
    _ body: @escaping @Sendable (WalletRun) async throws -> Success
  ) async throws {
    let output = Output(format: options.format)
    let task = Task { () -> CommandFailure? in
      await attempt(operation, output, body) { try await WalletRun(options, protocolOptions, output) }
    }
    let interrupt = Interrupt { task.cancel() }
    let failure = await task.value
    guard let failure else { return }
    let shown = interrupt.hasOccurred ? .interrupted : failure
    output.failed(operation, shown)
    throw shown.exit
  }

  private static func attempt(
    _ operation: String, _ output: Output, _ body: @Sendable (WalletRun) async throws -> Success,
    on open: @Sendable () async throws -> WalletRun
  ) async -> CommandFailure? {
    var prompter: Prompter?
    do {
      let run = try await open()
      prompter = run.prompter
      let success = try await body(run)
      output.succeeded(operation, success.members, text: success.text)
      return nil
    } catch {
      return prompter?.unansweredName.map { .unanswered($0) } ?? CommandFailure(any: error)
    }
  }

  private init(_ options: StateOptions, _ protocolOptions: ProtocolOptions?, _ output: Output) async throws {
    try Self.createFolder(options.state)
    (self.options, self.output) = (options, output)
    settings = try Settings.taking(options, protocolOptions)
    device = try await Self.device(WalletDevice(settings.device, in: options.state), options, settings.integrity)
    let answers: Answers? = if let path = options.answers { try Answers(path: path) } else { nil }
    prompter = Prompter(output, answers, clock: device.clocks.monotonic)
    store = FileLocalData(directory: options.state)
  }

  /// Opens the device. In the debug flavour it gets software keys, where it has no lock or no hardware keys.
  private static func device(
    _ device: WalletDevice, _ options: StateOptions, _ integrity: ProcessIntegrity
  ) async throws(CommandFailure) -> AuthenticationDevice {
    let opened = try await device.open(user: options.user.user, integrity: integrity)
    #if DebugFlavour
      do throws(StoredDeviceError) {
        return try opened.acceptingSoftwareKeys(in: options.state)
      } catch { throw CommandFailure("Device", "\(error)") }
    #else
      return opened
    #endif
  }

  private static func createFolder(_ path: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure("File", "\(path) cannot be created: \(error.localizedDescription)")
    }
  }
}

extension WalletRun {
  /// The server's URL.
  var server: String {
    get throws(CommandFailure) {
      guard let server = settings.server else {
        throw CommandFailure("InvalidArgument", "name the server with --server https://HOST:PORT")
      }
      return server
    }
  }

  /// The client, with HTTP over TLS.
  ///
  /// - Parameter isLocal: Whether the operation sends nothing.
  /// - Throws: `WalletAccessError.outdated` below the lowest version that the server serves.
  func client(isLocal: Bool = false) async throws -> MobileAuthenticationClient {
    if !isLocal { try await requireServedVersion() }
    var configuration = ClientConfiguration(name: "tap-wallet", servers: settings.server.map { [$0] } ?? [])
    configuration.profile = settings.profile ?? configuration.profile
    configuration.serverVersion = settings.serverVersion
    configuration.facetID = settings.facet ?? configuration.facetID
    configuration.secrets.rollbackProtection = !options.withoutRollbackProtection
    return try await MobileAuthenticationClient.initialise(
      configuration, device: device, http: try transport(), store: store)
  }

  /// Checks the version at the server, where that is reached: an operation reports itself what it does not reach.
  private func requireServedVersion() async throws {
    guard settings.server != nil else { return }
    do {
      try await checkVersion(wallet())
    } catch let error as WalletAccessError {
      if case .outdated = error { throw error }
    }
  }

  /// What the device knows, without the network.
  var localData: LocalData { LocalData(store: store, keys: device.ports.keys) }

  func interactions(_ authenticator: AuthenticatorChoice? = nil) -> WalletInteractions {
    WalletInteractions(prompter: prompter, authenticator: authenticator)
  }

  /// The account that an option names, or the only one.
  func account(_ name: String?) async throws -> String {
    if let name { return name }
    let accounts = try await localData.accounts()
    guard !accounts.isEmpty else { throw CommandFailure.noAccount }
    return try await interactions().selectAccount(
      AccountSelection(
        options: accounts.map { AccountSelection.Option(account: $0, isPolicyCompliant: true) }, transaction: nil))
  }
}

extension CommandFailure {
  init(any error: any Error) {
    self =
      switch error {
      case let failure as CommandFailure: failure
      case let error as OperationError: CommandFailure(error)
      case let error as LocalDataError: CommandFailure(error)
      case let error as DeleteAuthenticatorError: CommandFailure(error)
      case let error as SecretChangeError: CommandFailure(error)
      case let error as ProvisioningError: CommandFailure(error)
      case let error as OutOfBandOperationError: CommandFailure(error)
      case let error as OutOfBandPayloadError: CommandFailure(error)
      case let error as DeviceInformationChangeError: CommandFailure(error)
      case let error as WalletAccessError: CommandFailure(error)
      case is InteractionCancelled: CommandFailure("USER_CANCELED", "the person cancelled", .refused)
      default: CommandFailure("Unknown", "\(error)")
      }
  }
}
