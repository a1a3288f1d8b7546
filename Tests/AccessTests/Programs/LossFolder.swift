import DeviceAuthentication
import Foundation
import JSON
import MobileAuthentication
import Octets
import TestSupport
import Testing

/// The folder of a person who loses keys, at servers that several folders share.
struct LossFolder {
  /// The server of the account.
  let programs: AccessPrograms
  /// The server of the wallet, which may be that of the account.
  let wallet: AccessPrograms
  let number: Int
  let row: LostKeyWalkTests.Row

  private var state: String { programs.scratch.path("folder-\(number)") }
  private var account: String { "alice\(number)" }
  private var user: String { "alice\(number)@example.org" }
  private var neighbour: String { "bob\(number)" }
  private var accounts: [String] { row.neighbour == .account ? [account, neighbour] : [account] }

  private func authenticator(of account: String) -> String { account == self.account ? row.authenticator : "pin" }

  /// To which of both a command belongs.
  private enum Side {
    case account
    case wallet

    /// The PIN, and the one that a change sets.
    var pins: [String] { self == .account ? ["123456", "246813"] : ["7413", "8524"] }
  }

  private func run(_ command: [String], of side: Side = .account) throws -> WalletOutput {
    let (pins, server) = (side.pins, side == .account ? programs : wallet)
    let answers: [String: [String]] = [
      "pin": pins, "authenticator": ["pin", "pin"], "password": ["Abcdefgh1"], "answer:pet": ["Rex"],
      "answer:town": ["Bern"], "newPassword": ["Abcdefgh1"], "confirm": ["yes"], "oldPin": pins,
      "newPin": [pins[1]],
    ]
    let json = JSONValue(members: answers.map { ($0, JSONValue($1.map { JSONValue($0) })) })
    return try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap-wallet"),
        command + [
          "--state", state, "--server", server.url, "--ca", server.authority, "--format", "json", "--answers",
          try programs.scratch.write("\(UUID().uuidString).json", json.compact),
        ]))
  }

  private func succeed(_ command: [String], of side: Side = .account) throws {
    let output = try run(command, of: side)
    try #require(output.code == 0, "\(row), \(command): \(output.text)")
  }

  /// Runs a command with the options that it needs.
  private func attempt(_ command: [String], link: String?) throws -> WalletOutput {
    switch command.joined(separator: " ") {
    case "authenticate": try run(command + ["--account", account, "--authenticator", row.authenticator])
    case "register": try run(register(row.authenticator))
    case "device name": try run(command + ["Phone \(UUID().uuidString)"])
    case "redeem": try run(command + [link ?? "", "--authenticator", row.authenticator])
    case "deregister": try run(command + ["--account", account])
    case "pending": try run(command)
    case "pin change": try run(command + ["--account", account])
    case "login --password", "forgot password", "lost list": try run(command + ["--account", user], of: .wallet)
    default: try run(command, of: .wallet)
    }
  }

  private func register(_ authenticator: String, of account: String? = nil) -> [String] {
    ["register", "--account", account ?? self.account, "--authenticator", authenticator, "--name", "Phone"]
  }

  /// Registers the account and its neighbour.
  func prepare() throws {
    try succeed(register("pin"))
    if row.loss == .credential { try succeed(register("biometric")) }
    switch row.neighbour {
    case .nothing: break
    case .account: try succeed(register("pin", of: neighbour))
    case .wallet, .walletElsewhere:
      let profile = try programs.scratch.write("\(UUID().uuidString).json", WalletPrograms.profile(user))
      try succeed(["enrol", "--profile", profile], of: .wallet)
      try succeed(["cards", "add"], of: .wallet)
    }
  }

  func lose() async throws {
    let device = try StoredDevice(path: state + "/device")
    switch row.loss {
    case .identity: try await Self.loseIdentity(in: state)
    case .credential: try device.apply([.enrolBiometric])
    case .walletKey: try await Self.loseSessionKey(in: state)
    case .everything:
      try device.apply([.disableLockScreen])
      try device.apply([.setPasscode, .enrolBiometric])
    case .target: try programs.operate("device", "remove", #require(targets().first))
    }
  }

  /// Deletes the keys by which the servers know a device.
  static func loseIdentity(in folder: String) async throws {
    let identity = try #require(try await FileLocalData(directory: folder).read().identities.first)
    let keys = try StoredDevice(path: folder + "/device").ports.keys
    for key in [identity.signatureKey, identity.encryptionKey.sealingKey] { try await keys.delete(key) }
  }

  /// Deletes the key of the session of a wallet.
  static func loseSessionKey(in folder: String) async throws {
    let wallet = try await FileLocalData(directory: folder).read().wallets.first
    let keys = try StoredDevice(path: folder + "/device").ports.keys
    try await keys.delete(#require(wallet?.session).token.sealingKey)
  }

  /// Deletes the key of the store of the cards.
  static func losePaymentKey(in folder: String) async throws {
    let name = try [UInt8](
      hex: AccessPrograms.value("SELECT hex(keyIdentifier) FROM binding", in: folder + "/wallet.sqlite"))
    try await StoredDevice(path: folder + "/device").ports.keys.delete(#require(KeyIdentifier(name)))
  }

  /// The identifiers of the account's devices at the server.
  private func targets() throws -> [String] {
    try programs.operate("device", "list", "--account", account).split(separator: "\n").compactMap {
      $0.split(separator: "\t").first.map(String.init)
    }
  }

  /// A link to an authentication of the account.
  func dispatchedLink() throws -> String {
    let text = try programs.operate("dispatch", "authentication", "--account", account, "--channel", "link")
    return String(
      try #require(text.split(whereSeparator: \.isWhitespace).first { $0.contains("dispatchTokenResponse=") }))
  }
}

extension LossFolder {
  /// A step that an error names.
  private enum Step: CaseIterable {
    case authenticate
    case register
    case logIn
    case addCard
    case startAgain

    /// The words with which an error names the step.
    private var words: [String] {
      switch self {
      case .authenticate: ["authenticate, or register again", "authenticate with it, or"]
      case .register: ["register again", "register it first", "for a registration token"]
      case .logIn: ["set the wallet up again", "log in by user name and password", "log in first", "log in again"]
      case .addCard: ["cards add"]
      case .startAgain: ["start the operation again", "start it again"]
      }
    }

    init?(in message: String) {
      guard let step = Self.allCases.first(where: { $0.words.contains { message.contains($0) } }) else { return nil }
      self = step
    }
  }

  /// Runs a command until it succeeds. Before each repetition it takes the step that the error names.
  func walk(_ command: [String], link: String? = nil) throws {
    var link = link
    var text = ""
    for _ in 0..<3 {
      let output = try attempt(command, link: link)
      text += output.text
      if output.code == 0 { return }
      guard let step = Step(in: output.last["error"]?["message"]?.text ?? "") else { break }
      if command == ["register"], step == .register { return try registerWithToken(account) }
      try take(step)
      // The user is logged in by password.
      if command.first == "login", step == .logIn { return }
      // The authenticator is registered: only the identity of the device was lost.
      if command == ["register"], step == .authenticate { return }
      if command == ["redeem"] { link = try dispatchedLink() }
    }
    Issue.record("\(row): \(command) is a dead end: \(text)")
  }

  private func take(_ step: Step) throws {
    switch step {
    case .authenticate: for account in accounts { try authenticate(account) }
    case .register: try registerWithToken(account)
    case .logIn: try logIn()
    case .addCard: try succeed(["cards", "add"], of: .wallet)
    case .startAgain: break
    }
  }

  /// Logs in, and sets the store of the cards up again where the device has lost its key.
  private func logIn() throws {
    try succeed(["login", "--password", "--account", user, "--policy", "biometricOnly"], of: .wallet)
  }

  /// Authenticates, and registers again where the error names that.
  private func authenticate(_ account: String) throws {
    let output = try run(["authenticate", "--account", account, "--authenticator", authenticator(of: account)])
    if output.code == 0 { return }
    let next = Step(in: output.last["error"]?["message"]?.text ?? "")
    try #require(next == .register, "\(row): \(output.text)")
    try registerWithToken(account)
  }

  /// Registers with a token of the operator. An authenticator whose key works is authenticated with instead.
  private func registerWithToken(_ account: String, _ authenticator: String? = nil) throws {
    let authenticator = authenticator ?? self.authenticator(of: account)
    let added = try programs.operate("user", "token", account, "--format", "json").split(separator: "\n")[0]
    let token = try #require(try JSONValue(parsing: Array(added.utf8))["registrationToken"]?.text)
    let output = try run(register(authenticator, of: account) + ["--token", token])
    if output.code == 0 { return }
    let step = Step(in: output.last["error"]?["message"]?.text ?? "")
    try #require(step == .authenticate, "\(row): \(output.text)")
    try succeed(["authenticate", "--account", account, "--authenticator", authenticator])
  }

  /// Every command of the account works, and the server has one device of it.
  func checkAccount(isRegistered: Bool) throws {
    // The name is not new: only its token registers it again.
    if !isRegistered { try registerWithToken(account, "pin") }
    for command in [["device", "name"], ["pending"]] { try walk(command) }
    #expect(try targets().count == 1, "\(row)")
  }

  /// What else is in the folder works too.
  func checkNeighbour() throws {
    switch row.neighbour {
    case .nothing: break
    case .account:
      let registrations = try run(["accounts"]).events.filter { $0["event"]?.text == "registration" }
      #expect(registrations.contains { $0["account"]?.text == neighbour }, "\(row)")
      try authenticate(neighbour)
    case .wallet, .walletElsewhere:
      if try run(["status"], of: .wallet).last["loggedIn"]?.flag != true { try logIn() }
      let linked = try wallet.operate("wallet", "list", "--user", user).split(separator: "\n")
      #expect(linked.count == 1 && linked[0].contains("\tactive\t"), "\(row): \(linked)")
    }
  }
}
