import DeviceAuthentication
import Foundation
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// The next command after a device lost keys, or after the operator removed it. Each command succeeds, or its error names a
/// step that succeeds, after which the command succeeds.
@Suite(.blocks, .timeLimit(.minutes(20))) struct LostKeyWalkTests {
  /// What was lost.
  enum Loss: String, CaseIterable {
    /// The keys by which the servers know the device.
    case identity
    /// The key of the finger, after another one was enrolled.
    case credential
    /// The key of the wallet's session.
    case walletKey
    /// All keys, since the lock was off.
    case everything
    /// The device at the server.
    case target
  }

  /// What the folder has besides the account.
  enum Neighbour: String, CaseIterable {
    case nothing
    case account
    case wallet
    /// A wallet of another issuer, at a server of its own.
    case walletElsewhere

    var isWallet: Bool { self == .wallet || self == .walletElsewhere }
  }

  struct Row: CustomStringConvertible {
    let loss: Loss
    let neighbour: Neighbour
    var description: String { "\(loss), beside \(neighbour)" }

    /// The authenticator whose key is lost, or whose device is removed.
    var authenticator: String { loss == .credential ? "biometric" : "pin" }

    /// The commands that can come next. What was lost for the account alone leaves the wallet as it was.
    var commands: [[String]] { losesWallet ? Self.ofAccount + Self.ofWallet : Self.ofAccount }

    var losesWallet: Bool { neighbour.isWallet && ![.target, .credential].contains(loss) }

    static let ofAccount = [
      ["authenticate"], ["register"], ["device", "name"], ["pending"], ["redeem"], ["pin", "change"], ["deregister"],
    ]
    static let ofWallet = [
      ["status"], ["login", "--password"], ["login", "--pin"], ["logout"], ["unlink"], ["forgot", "password"],
      ["forgot", "pin"], ["cards", "list"], ["lost", "list"], ["pay", "--link", "loopback"], ["replenish"], ["history"],
      ["biometric", "on"],
    ]
  }

  /// The rows with a lost wallet come first.
  static let rows: [Row] = {
    let all = Loss.allCases.flatMap { loss in Neighbour.allCases.map { Row(loss: loss, neighbour: $0) } }
      .filter { $0.loss != .walletKey || $0.neighbour.isWallet }
    return all.filter(\.losesWallet) + all.filter { !$0.losesWallet }
  }()

  /// The commands that are walked after a loss, with their numbers: all with CONTACTLESS_SOAK, otherwise a sixth of them, which
  /// is another one in the next row. Six rows have a lost wallet.
  private static func walked(_ index: Int) -> [(offset: Int, element: [String])] {
    rows[index].commands.enumerated().filter { Soak.isOn || ($0.offset + index) % 6 == 0 }
  }

  @Test func `every command is walked after some loss`() {
    let walked = Self.rows.indices.flatMap { Self.walked($0).map(\.element) }
    #expect(Set(walked) == Set(Self.Row.ofAccount + Self.Row.ofWallet))
  }

  @Test(arguments: rows.indices) func `no command after a loss is a dead end`(_ index: Int) async throws {
    let row = Self.rows[index]
    let issuer = try OpenWalletTests.issuer()
    let programs = try AccessPrograms(configuration: issuer)
    let wallet = row.neighbour == .walletElsewhere ? try AccessPrograms(configuration: issuer) : programs
    for (number, command) in Self.walked(index) {
      let folder = LossFolder(programs: programs, wallet: wallet, number: number, row: row)
      try folder.prepare()
      let link = command == ["redeem"] ? try folder.dispatchedLink() : nil
      try await folder.lose()
      try folder.walk(command, link: link)
      try folder.checkAccount(isRegistered: command != ["deregister"])
      try folder.checkNeighbour()
    }
  }

  @Test func `a locked PIN stays listed after the device got new keys`() async throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let second = try programs.run(
      "register", "--account", "alice", "--authenticator", "biometric", answers: ["pin": ["123456"]])
    #expect(second.code == 0, "\(second.text)")
    for (pins, pause) in [(["000000", "000001", "000002"], 60), (["000003"], 180), (["000004"], 0)] {
      _ = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": pins])
      try programs.advance(seconds: pause)
    }
    try await LossFolder.loseIdentity(in: programs.state)
    #expect(try programs.run("device", "name", "Other").errorCode == "KEY_DISAPPEARED_PERMANENTLY")
    let healed = try programs.run("authenticate", "--authenticator", "biometric")
    #expect(healed.code == 0, "\(healed.text)")
    // The clock of the simulated device is ahead of the server's.
    try StoredDevice(path: programs.state + "/device").apply([], settingDate: true)
    let named = try programs.run("device", "name", "Other")
    #expect(named.code == 0, "\(named.text)")
    let accounts = try programs.run("accounts").events.filter { $0["event"]?.text == "registration" }
    #expect(accounts.map { $0["protection"]?.text } == ["lockedOut", "unlocked"])
    #expect(try programs.operate("device", "list").contains("\tOther"))
  }

  @Test func `a session whose key alone is gone is not open, and the card stays`() async throws {
    let programs = try PaymentStoryTests.programs()
    let card = try PaymentStoryTests.addCard(programs)
    try await LossFolder.loseSessionKey(in: programs.state)
    #expect(try programs.run("cards", "list").errorCode == "NotLoggedIn")
    let login = try programs.run("login", "--pin", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.operate("card", "list").contains("\(card)\tactive"))
    #expect(try programs.run("pay", "--link", "loopback").code == 0)
  }

  @Test func `the issuer deletes a card whose key is lost at the next request`() async throws {
    let programs = try PaymentStoryTests.programs()
    let card = try PaymentStoryTests.addCard(programs)
    try await LossFolder.losePaymentKey(in: programs.state)
    let listed = try programs.run("cards", "list")
    #expect(listed.errorCode == "authenticationKeyInvalidated", "\(listed.text)")
    #expect(try programs.run("logout").code == 0)
    let login = try programs.run("login", "--pin", "--policy", "biometricOnly", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    let cards = try programs.operate("card", "list")
    #expect(cards.contains("\(card)\tdeleted"), "\(cards)")
    let added = try programs.run("cards", "add")
    #expect(added.code == 0, "\(added.text)")
    #expect(try programs.run("cards", "list").code == 0)
    let active = try programs.operate("card", "list").split(separator: "\n").filter { $0.contains("\tactive") }
    #expect(active.count == 1 && active[0].contains(added.last["card"]?.text ?? "no card"), "\(active)")
  }

  @Test func `a login after the loss of all keys retires the card beside an authenticator`() throws {
    let programs = try PaymentStoryTests.programs()
    let card = try PaymentStoryTests.addCard(programs)
    let registered = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", answers: ["pin": ["123456"]])
    #expect(registered.code == 0, "\(registered.text)")
    let device = try StoredDevice(path: programs.state + "/device")
    try device.apply([.disableLockScreen])
    try device.apply([.setPasscode, .enrolBiometric])
    let refused = try programs.logIn(password: "Abcdefgh1", answer: "Rex")
    #expect(refused.errorCode == "authenticationKeyInvalidated" && refused.text.contains("--policy"), "\(refused.text)")
    let login = try programs.logIn(password: "Abcdefgh1", answer: "Rex", "--policy", "biometricOnly")
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.operate("card", "list").contains("\(card)\tdeleted"))
    #expect(try programs.run("accounts").hasRegistration)
    #expect(try programs.run("cards", "add").code == 0)
  }
}
