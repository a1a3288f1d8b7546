import AccessMessages
import CardProvisioning
import DeviceAuthentication
import DeviceLink
import Foundation
import HTTPSTransport
import JSON
import MobileAuthentication
import POSIX
import ProgramSupport
import WalletAccess

/// One run of a command on the folder of a wallet.
struct WalletRun: Sendable {
  let options: StateOptions
  let settings: Settings
  let servers: ServerChoice
  let output: EventOutput
  let prompter: Prompter
  let device: AuthenticationDevice
  /// The checks of this process, which everything in this run shares.
  let integrity: IntegrityGuard
  let store: FileLocalData
  /// Whether commands run inside `tap-wallet open`.
  let isOpen: Bool

  /// What a command ends with: members of the last line, and the sentence for people.
  struct Success: Sendable {
    var members: [(String, JSONValue?)] = []
    var text: String
  }

  /// Opens the folder, runs a command, prints its last line and ends with its exit code. A signal cancels the command.
  ///
  /// - Parameter takesLines: Whether lines of a pipe answer prompts.
  static func perform(
    _ operation: String, _ options: StateOptions, _ protocolOptions: ProtocolOptions? = nil, takesLines: Bool = false,
    _ body: @escaping @Sendable (WalletRun) async throws -> Success
  ) async throws {
    let output = EventOutput.ofWallet(options.format)
    let (listening, listens) = AsyncStream.makeStream(of: Void.self)
    let task = Task { () -> CommandFailure? in
      // A command with a handler of its own adds it after the one below: the newest hears a signal first.
      for await _ in listening { break }
      do {
        let run = try await WalletRun(options, protocolOptions, output, takesLines: takesLines)
        return await run.attempt(operation, body)
      } catch { return CommandFailure(any: error) }
    }
    let interrupt = Interrupt(repeats: true) { _, _ in task.cancel() }
    listens.yield()
    let failure = await task.value
    let isInterrupted = interrupt.end()
    guard let failure else { return }
    let shown = isInterrupted ? .interrupted : failure
    output.notDone(operation, shown)
    throw shown.exit.code
  }

  /// Runs a command and prints the last line of one that is done.
  ///
  /// - Returns: Why the command is not done; nil after one that is.
  func attempt(
    _ operation: String, _ body: @Sendable (WalletRun) async throws -> Success
  ) async -> CommandFailure? {
    note(Message(Message.holder, to: Self.name, operation))
    do {
      let success = try await keepingServer { try await body(self) }
      output.succeeded(operation, success.members, text: success.text)
      note(Message(Self.name, to: Message.holder, "done"))
      return nil
    } catch {
      let failure = prompter.takeUnansweredName().map { .unanswered($0) } ?? CommandFailure(any: error)
      note(Message(Self.name, to: Message.holder, "not done: \(failure.code)", isRefused: true))
      return failure
    }
  }

  /// Adds a message to the journal. A journal that cannot be written must not end the operation that it reports.
  private func note(_ message: Message) { try? journal?.append(message) }

  private init(
    _ options: StateOptions, _ protocolOptions: ProtocolOptions?, _ output: EventOutput, takesLines: Bool
  ) async throws {
    try Self.createFolder(options.state)
    (self.options, self.output, isOpen) = (options, output, takesLines)
    var stored = try Settings(in: options.state)
    let former = stored
    stored.complete(options, protocolOptions)
    if stored != former { try stored.write(in: options.state) }
    settings = stored.overridden(by: options, protocolOptions)
    store = FileLocalData(directory: options.state)
    servers = ServerChoice(stored.servers, kept: try await store.read().servers, options)
    integrity = IntegrityGuard(settings.integrity)
    device = try await Self.device(DeviceChoice(settings.device, ofWalletIn: options.state), options, integrity)
    // The findings stay, and refuse every later operation. A simulated device protects nothing.
    if isOpen, device.integrity != nil {
      integrity.watch { Console.note("error: \($0.map(\.description).joined(separator: "; "))") }
    }
    let answers: Answers? = if let path = options.answers { try Answers(path: path) } else { nil }
    prompter = Prompter(output, answers, clock: device.clocks.monotonic, takesLines: takesLines)
  }

  /// Opens the device. In the debug flavour it gets software keys, where it has no lock or no hardware keys.
  private static func device(
    _ device: DeviceChoice, _ options: StateOptions, _ integrity: IntegrityGuard
  ) async throws(CommandFailure) -> AuthenticationDevice {
    let opened = try await device.open(user: options.user.user, integrity: integrity)
    #if DebugFlavour
      do throws(StoredDeviceError) {
        return try opened.acceptingSoftwareKeys(in: options.state)
      } catch { throw CommandFailure("Device", of: error) }
    #else
      return opened
    #endif
  }

  private static func createFolder(_ path: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure("File", "\(path) cannot be created: \(error.localizedDescription)", .error)
    }
    guard let status = try? FileStatus(of: path), status.isOpenToOthers else { return }
    let mode = String(status.permissions & 0o777, radix: 8)
    throw CommandFailure(
      "File", "\(path) has mode \(mode), so that other users can replace what it keeps: chmod go-w it", .error)
  }
}

extension WalletRun {
  /// Runs a body, and stores the server of the run once the folder keeps something of it.
  fileprivate func keepingServer<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      let value = try await body()
      try await keepServer()
      return value
    } catch {
      try? await keepServer()
      throw error
    }
  }

  private func keepServer() async throws {
    guard let named = servers.named else { return }
    var stored = try Settings(in: options.state)
    guard !stored.servers.contains(where: { $0.origin == named.origin }),
      try await store.read().servers.contains(named.origin)
    else { return }
    stored.servers.append(named)
    try stored.write(in: options.state)
  }

  /// Removes the servers of which the folder keeps nothing any more from its settings, unless it keeps something of none.
  func leaveUnusedServers() async throws {
    let kept = try await store.read().servers
    var stored = try Settings(in: options.state)
    let used = stored.servers.filter { kept.contains($0.origin) }
    guard !used.isEmpty, used.count < stored.servers.count else { return }
    stored.servers = used
    try stored.write(in: options.state)
  }

  /// The client, with HTTP over TLS.
  ///
  /// - Parameters:
  ///   - account: The account of the operation, whose server's version is checked; nil for the only server.
  ///   - isLocal: Whether the operation sends nothing.
  /// - Throws: `WalletAccessError.outdated` below the lowest version that the server serves.
  func client(of account: String? = nil, isLocal: Bool = false) async throws -> MobileAuthenticationClient {
    if !isLocal { try await requireServedVersion(at: try await server(of: account)) }
    var configuration = ClientConfiguration(name: "tap-wallet", servers: servers.allowed.map(\.origin))
    configuration.profile = settings.profile ?? configuration.profile
    configuration.serverVersion = settings.serverVersion
    configuration.facetID = settings.facet ?? configuration.facetID
    configuration.secrets.rollbackProtection = !options.withoutRollbackProtection
    return try await MobileAuthenticationClient.initialise(
      configuration, device: device.unlockingSensor(output), http: try transport(), store: store)
  }

  /// Checks the version at the server, where that is reached: an operation reports itself what it does not reach.
  private func requireServedVersion(at server: String?) async throws {
    guard let server = server ?? (try? servers.only().origin) else { return }
    do {
      try await checkVersion(wallet(at: server))
    } catch let error as WalletAccessError {
      if case .outdated = error { throw error }
    }
  }

  /// What the device knows, without the network.
  var localData: LocalData { LocalData(store: store, device: device, profile: settings.profile ?? .ios) }

  func interactions(
    _ authenticator: AuthenticatorChoice? = nil, _ rules: EntryRules? = nil
  ) -> WalletInteractions {
    WalletInteractions(prompter: prompter, authenticator: authenticator, rules: rules ?? settings.rules)
  }

  /// The account that an option names, or the only one of the server.
  func account(_ name: String?) async throws -> String {
    let accounts = try await localData.accounts()
    let here = accounts.filter { servers.named == nil || $0.server == servers.named?.origin }
    if let name {
      if !here.contains(where: { $0.username.hasSameOctets(as: name) }), let server = try await server(of: name) {
        throw CommandFailure(
          "NotRegistered", "\(name) is registered at \(server): pass --server with that one", .notRight)
      }
      return name
    }
    guard !here.isEmpty else { throw CommandFailure.noAccount }
    guard Set(here.map(\.server)).count == 1 else { throw servers.several }
    return try await interactions().selectAccount(
      AccountSelection(
        options: here.map { AccountSelection.Option(account: $0, isPolicyCompliant: true) }, transaction: nil))
  }

  /// The server at which a user of this device is registered; nil for another name.
  private func server(of account: String?) async throws -> String? {
    guard let account else { return nil }
    return try await localData.accounts().first { $0.username.hasSameOctets(as: account) }?.server
  }
}

extension CommandFailure {
  init(any error: any Error) {
    self =
      switch error {
      case let failure as CommandFailure: failure
      case let error as OperationError: CommandFailure(error)
      case let error as TerminalIssuer.Failure: CommandFailure(error.code, of: error)
      case let error as LocalDataError: CommandFailure("LocalData", of: error)
      case let error as ProvisioningError: CommandFailure(error.code, of: error)
      case let error as WalletAccessError: CommandFailure(error)
      case is InteractionCancelled: CommandFailure("USER_CANCELED", "the person cancelled", .notRight)
      default: CommandFailure("Unknown", of: error)
      }
  }
}
