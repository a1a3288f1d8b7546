import AccessMessages
import HTTPSTransport
import MobileAuthentication
import ProgramSupport
import WalletAccess

extension WalletRun {
  /// The wallet of the device at the server.
  ///
  /// - Throws: `OperationError.hardware` on a machine without a TPM, before an operation fails at a key that it cannot use.
  func wallet() throws -> WalletAccess { try wallet(at: servers.only().origin) }

  /// The wallet of the device at one of several servers.
  func wallet(at server: String) throws -> WalletAccess {
    guard device.protection != .software || Flavour.present == .debug else { throw OperationError.hardware }
    return try walletOnAnyDevice(at: server)
  }

  /// The wallet, also on a machine without a TPM, where its status is shown with the reason.
  func walletOnAnyDevice() throws -> WalletAccess { try walletOnAnyDevice(at: servers.only().origin) }

  private func walletOnAnyDevice(at server: String) throws -> WalletAccess {
    try WalletAccess(
      server: server, device: device, http: try transport(), store: store, integrity: integrity,
      contents: [cardFolder(of: server)])
  }

  /// Goes no further with a version that the issuer does not serve any more.
  func checkVersion(_ wallet: WalletAccess) async throws { try await wallet.checkVersion(Self.version) }

  /// What the wallet shows now.
  ///
  /// - Parameter announcesExpiry: Whether it reports the end of the last session, once.
  func view(of wallet: WalletAccess, announcesExpiry: Bool = false) async throws -> WalletView {
    try await wallet.view(ofVersion: Self.version, announcesExpiry: announcesExpiry)
  }

  /// Fails with the reason for which the issuer is not reached.
  func requireIssuer(_ wallet: WalletAccess) async throws { _ = try await DeviceCoordinator(wallet).status() }

  private static let version: DottedVersion = {
    guard let own = DottedVersion(MetaData.mobileAuthenticationVersion) else {
      preconditionFailure("the version of this program is not made of numbers with points")
    }
    return own
  }()

  /// HTTP over TLS, with a trace where one is wanted.
  func transport() throws -> any HTTPExchange {
    let transport: any HTTPExchange
    do throws(HTTPSTrustError) {
      transport = VersionCheckedExchange(
        try TrustingExchange(servers.trusted), version: Self.version, store: store)
    } catch { throw CommandFailure("Certificate", of: error) }
    let traced: any HTTPExchange = try options.trace.map { try TracingExchange(transport, path: $0) } ?? transport
    return journal.map { JournalExchange(exchange: traced, journal: $0, sender: Self.name) } ?? traced
  }

  /// The name of this program in a journal.
  static let name = "tap-wallet"

  /// The file of the messages between the parts of a story, where one is wanted.
  var journal: Journal? { options.journal.map { Journal(path: $0) } }

  /// What the wallet asks the person.
  var walletUser: WalletUser { WalletUser(prompter: prompter) }

  /// The user name at the issuer: an option, the one that the device knows, or the answer to a prompt.
  func userName(_ name: String?) async throws -> String {
    if let name { return name }
    if let known = try await walletOnAnyDevice().userName() { return known }
    return try await prompter.ask(Prompt(name: "account", text: "User name"))
  }

  /// The answer to a prompt for a secret.
  func secret(_ name: String, _ text: String) async throws -> EnteredSecret {
    EnteredSecret(try await prompter.ask(Prompt(name: name, text: text, echoes: false)))
  }
}
