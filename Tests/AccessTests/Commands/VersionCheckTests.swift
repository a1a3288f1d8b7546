import Glibc
import JSON
import TestSupport
import Testing

/// The lowest version that a server serves, at every contact with it.
@Suite(.blocks, .timeLimit(.minutes(20))) struct VersionCheckTests {
  private static func configuration(minimum: String) throws -> String {
    let versions = #"{"minimum": "\#(minimum)", "latest": "99.2", "url": "https://example.org/wallet"}"#
    return try OpenWalletTests.issuer().replacing("{\"cards\"", with: "{\"appVersions\": \(versions), \"cards\"")
  }

  private static func programs() throws -> WalletPrograms {
    let programs = try WalletPrograms(configuration(minimum: "0.1"))
    try programs.link()
    try #require(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    return programs
  }

  private static func set(_ minimum: String, _ programs: WalletPrograms) throws {
    _ = try programs.scratch.write("configuration.json", configuration(minimum: minimum))
    try programs.restartServer()
  }

  private static let commands = [
    "status", "questions", "profile show", "profile set --phone 123", "timeout 100", "change-pin",
    "lost list --account \(WalletPrograms.user)", "forgot pin", "biometric on", "cards list", "cards add", "replenish",
    "history", "pay --link loopback", "login --pin", "enrol", "unlink", "authenticate", "deregister", "pending",
    "device name Other", "lost authenticators list", "register --account bob --authenticator pin",
  ]

  @Test func `a lowest version that was raised stops every command, and nothing is changed`() throws {
    let programs = try Self.programs()
    let registration = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", answers: ["pin": ["123456"]])
    try #require(registration.code == 0, "\(registration.text)")
    try #require(try programs.run("cards", "add").code == 0)
    let answers = [
      "pin": ["7413"], "oldPin": ["7413"], "newPin": ["8520"], "password": ["Abcdefgh1"], "answer:pet": ["Rex"],
      "answer:town": ["Bern"],
    ]
    try Self.set("99.1", programs)
    for command in Self.commands {
      let run = try programs.run(command.split(separator: " ").map(String.init), answers: answers)
      #expect((run.code, run.errorCode) == (2, "OutdatedClient"), "\(command): \(run.text)")
    }
    try Self.set("0.1", programs)
    let status = try programs.run("status")
    #expect(status.last["loggedIn"]?.flag == true && status.last["latest"]?["latest"]?.text == "99.2", "\(status.text)")
    #expect(try programs.run("profile", "show").last["phone"]?.text == "+41 44 123 45 67")
    let accounts = try programs.run("accounts").events
    #expect(accounts.first { $0["event"]?.text == "device" }?["name"]?.text != "Other")
    #expect(try programs.run("authenticate", answers: ["pin": ["123456"]]).code == 0)
  }

  @Test func `a response that states a raised lowest version stops a command of the open wallet`() throws {
    let programs = try Self.programs()
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.startOpen(terminal: descriptor)
    #expect(run.wait(timeout: .seconds(60)) { $0.output.contains(#""name": "action""#) }, "\(run.output)")
    try Self.set("99.1", programs)
    terminal.type("profile show\n")
    #expect(run.asks(after: #""screen": "update""#), "\(run.output)")
    #expect(run.output.contains(#""operation": "profile show", "error": {"code": "OutdatedClient""#), "\(run.output)")
    terminal.type("quit\n")
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  @Test func `a payment without the server holds the last known lowest version`() throws {
    let programs = try Self.programs()
    try #require(try programs.run("cards", "add").code == 0)
    try Self.set("99.1", programs)
    #expect(try programs.run("history").errorCode == "OutdatedClient")
    #expect(try programs.endServer() == .exited(0))
    let pay = try programs.run("pay", "--link", "loopback")
    #expect((pay.code, pay.errorCode) == (2, "OutdatedClient"), "\(pay.text)")
    #expect(pay.last["error"]?["message"]?.text?.contains("https://example.org/wallet") == true)
    #expect(!pay.events.contains { $0["event"]?.text == "tap" })
  }

  @Test func `a payment without the server goes on while the last known lowest version is served`() throws {
    let programs = try Self.programs()
    try #require(try programs.run("cards", "add").code == 0)
    #expect(try programs.endServer() == .exited(0))
    let pay = try programs.run("pay", "--link", "loopback")
    // The terminal of loopback needs the server: the card has answered it.
    #expect(pay.events.contains { $0["event"]?.text == "tap" }, "\(pay.text)")
  }
}
