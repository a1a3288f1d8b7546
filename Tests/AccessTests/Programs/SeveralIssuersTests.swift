import DeviceAuthentication
import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// Two servers of two issuers, and one folder with a wallet at each.
@Suite("Several issuers in one folder", .blocks, .timeLimit(.minutes(30)))
struct SeveralIssuersTests {
  /// The programs of both issuers; the folder is that of the first one.
  private let issuers: [WalletPrograms]
  private var state: String { issuers[0].state }

  init() throws { issuers = try (0..<2).map { _ in try PaymentStoryTests.programs() } }

  private static let secrets = [
    "pin": ["7413"], "answer:pet": ["Rex", "Rex"], "answer:town": ["Bern", "Bern"], "password": ["Abcdefgh1"],
    "newPin": ["8524"],
  ]

  /// Runs a command at one issuer; nil leaves `--server` out.
  private func run(
    _ issuer: Int?, _ command: String, _ answers: [String: [String]] = secrets
  ) throws -> WalletOutput {
    let server = issuer.map { ["--server", issuers[$0].url] } ?? []
    return try issuers[0].runElsewhere(
      command.split(separator: " ").map(String.init) + ["--state", state] + server, answers)
  }

  /// Enrols at both issuers and adds a card of each. The card of the first one is the default.
  private func enrol() throws {
    for (number, programs) in issuers.enumerated() {
      let profile = try programs.scratch.write("profile.json", WalletPrograms.profile(WalletPrograms.user))
      for command in ["enrol --profile \(profile) --ca \(programs.authority)", "cards add"] {
        let done = try run(number, command)
        try #require(done.code == 0, "\(command): \(done.text)")
      }
    }
  }

  private func tap(_ words: String...) throws -> WalletOutput {
    try WalletOutput(
      ProgramRun(AccessPrograms.path("tap"), words + ["--wallet", state, "--format", "json"]), isTap: true)
  }

  /// What the folder keeps of an issuer: its cards, and its login with the biometric token.
  private func kept(of issuer: Int) throws -> [String] {
    let url = issuers[issuer].url
    let cards = try tap("wallet", "list").events.filter { $0["issuer"]?.text == url }
    let file = try Data(contentsOf: URL(filePath: state + "/mobile-authentication.json"))
    let wallets = try JSONValue(parsing: [UInt8](file))["wallets"]?.list ?? []
    return cards.map(\.compact) + wallets.filter { $0["server"]?.text == url }.map(\.compact)
  }

  private func deviceID(at issuer: Int) throws -> String {
    let file = try Data(contentsOf: URL(filePath: state + "/mobile-authentication.json"))
    let devices = try JSONValue(parsing: [UInt8](file))["identities"]?.list ?? []
    return try #require(devices.first { $0["server"]?.text == issuers[issuer].url }?["deviceId"]?.text)
  }

  @Test(arguments: [0, 1])
  func `no command at one server touches the cards, keys or logins of another one`(_ issuer: Int) throws {
    try enrol()
    let other = 1 - issuer
    _ = try run(other, "biometric on")
    let before = try kept(of: other)
    #expect(before.count == 2)
    let card = try #require(tap("wallet", "list").events.first { $0["issuer"]?.text == issuers[issuer].url })
    let commands = [
      "status", "cards list", "cards add", "replenish --force", "history",
      "pay --link loopback --card \(card["card"]?.text ?? "")",
      "logout", "login --pin", "biometric on", "biometric prefer", "biometric status", "biometric off", "logout",
      "login --password", "lost list", "forgot pin", "accounts",
      "register --account u\(issuer) --authenticator pin --name Phone",
      "authenticate --account u\(issuer)", "pending", "deregister --account u\(issuer)",
    ]
    for command in commands {
      let answers = command.contains("u\(issuer)") ? ["pin": ["246813", "246813", "246813"]] : Self.secrets
      let done = try run(issuer, command, answers)
      #expect(done.code == 0, "\(command): \(done.text)")
      // A payment with a named card makes it the default one.
      let isDefault = { (text: String) in text.replacing(#""isDefault": true"#, with: #""isDefault": false"#) }
      #expect(try kept(of: other).map(isDefault) == before.map(isDefault), "\(command)")
    }
    let paid = try run(other, "pay --link loopback")
    #expect(paid.code == 0, "\(paid.text)")
  }

  /// What ends the wallet at one issuer.
  static let endings = [
    "unlink", "wrong PINs", "unlinked by the operator", "deactivated by the operator", "lost remove",
  ]

  private func end(_ ending: String, at issuer: Int) throws {
    let device = try deviceID(at: issuer)
    switch ending {
    case "unlink": #expect(try run(issuer, "unlink").code == 0)
    case "wrong PINs":
      #expect(try run(issuer, "logout").code == 0)
      for _ in 1...5 { _ = try run(issuer, "login --pin", ["pin": ["0000"]]) }
    case "unlinked by the operator": try issuers[issuer].operate("wallet", "unlink", device)
    case "deactivated by the operator": try issuers[issuer].operate("wallet", "deactivate", device)
    default:
      let removed = try run(issuer, "lost remove \(device)")
      #expect(removed.code == 0, "\(removed.text)")
    }
    _ = try run(issuer, "cards list")
    _ = try run(issuer, "status")
    _ = try run(issuer, "pay --link loopback")
  }

  /// An ending and the issuer: both issuers with CONTACTLESS_SOAK, otherwise they take turns.
  private static let ends = endings.enumerated().flatMap { place, ending in
    [0, 1].filter { Soak.isOn || ($0 + place) % 2 == 0 }.map { (ending, $0) }
  }

  @Test(arguments: ends)
  func `the end of a wallet at one issuer leaves that at another one`(_ ending: String, _ issuer: Int) throws {
    try enrol()
    let other = 1 - issuer
    let before = try kept(of: other)
    try end(ending, at: issuer)
    #expect(try kept(of: other) == before)
    let own = try tap("wallet", "list").events.filter { $0["issuer"]?.text == issuers[issuer].url }
    let expected = ending == "deactivated by the operator" ? ["suspended"] : []
    #expect(own.map { $0["state"]?.text } == expected, "\(ending)")
    let paid = try run(other, "pay --link loopback")
    #expect(paid.code == 0, "\(paid.text)")
  }

  @Test func `without --server a folder with several servers refuses, lists them, and pays with the default card`()
    throws
  {
    try enrol()
    for command in ["status", "cards list", "logout", "login --pin", "unlink", "replenish", "history"] {
      let refused = try run(nil, command)
      #expect((refused.code, refused.errorCode) == (64, "InvalidArgument"), "\(command): \(refused.text)")
      for programs in issuers { #expect(refused.text.contains(programs.url), "\(command)") }
      #expect(refused.text.contains("--server"))
    }
    let paid = try run(nil, "pay --link loopback")
    #expect(paid.code == 0, "\(paid.text)")
    let cards = try tap("wallet", "list").events
    #expect(cards.map { $0["issuer"]?.text } == issuers.map(\.url))
    #expect(cards.map { $0["paymentsLeft"]?.integer } == [3, 4])
    // The second issuer has no default card here, and one card.
    #expect(try run(1, "pay --link loopback").code == 0)
    #expect(try tap("wallet", "list").events.map { $0["isDefault"]?.flag } == [false, true])
    #expect(try run(1, "unlink").code == 0)
    #expect(try run(nil, "status").last["registered"]?.flag == true)
  }

  @Test func `a check at a server of which nothing is kept leaves the only server the only one`() throws {
    let enrolled = try issuers[0].enrol()
    try #require(enrolled.code == 0, "\(enrolled.text)")
    try #require(run(0, "cards add").code == 0)
    let status = try run(1, "status --ca \(issuers[1].authority)")
    #expect(status.last["registered"]?.flag == false, "\(status.text)")
    #expect(try run(nil, "cards list").events.filter { $0["event"]?.text == "card" }.count == 1)
  }

  @Test func `the card of an older folder belongs to its first server`() throws {
    let older = Fixtures.url("Wallets/version5")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: older.appending(path: "device"), to: URL(filePath: state + "/device"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: state + "/device")
    let enrolled = try issuers[0].enrol()
    try #require(enrolled.code == 0, "\(enrolled.text)")
    let name = "wallet.sqlite"
    try FileManager.default.copyItem(at: older.appending(path: name), to: URL(filePath: state + "/" + name))
    #expect(try run(1, "status --ca \(issuers[1].authority)").code == 0)
    #expect(try tap("wallet", "list").events.map { $0["issuer"]?.text } == [nil])
    let list = try run(nil, "cards list")
    #expect(list.events.first?["issuer"]?.text == issuers[0].url, "\(list.text)")
    #expect(try run(nil, "unlink").code == 0)
    #expect(try tap("wallet", "list").events.isEmpty)
  }
}
