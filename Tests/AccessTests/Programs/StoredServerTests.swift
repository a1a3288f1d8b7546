import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// The database and the state folder of `Fixtures/States`, which former programs have left behind, at the programs.
@Suite("A server and a wallet that former programs have left", .blocks, .timeLimit(.minutes(20)))
struct StoredServerTests {
  @Test func `a server goes on with the user, the card and the script of a former one`() throws {
    let programs = try AccessPrograms(database: Fixtures.url("States/server/server.sqlite"))
    let cards = try programs.operate("card", "list")
    let card = try #require(cards.split(separator: "\t").first.map(String.init), "\(cards)")
    #expect(cards.contains("\tactive\t"), "\(cards)")
    #expect(try programs.operate("wallet", "list").contains("alice@example.org"))
    #expect(!(try programs.operate("card", "script", "list", card)).isEmpty)
    // Links a second device, with password and question.
    let login = try programs.run(
      "login", "--password", "--account", WalletPrograms.user,
      answers: ["password": ["Abcdefgh1"], "answer:pet": ["Rex"], "answer:town": ["Bern"]], isFirst: true)
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.endServer() == .exited(0))
  }

  @Test func `the database file of a server that ended is complete without its log`() throws {
    let programs = try AccessPrograms()
    _ = try programs.operate("user", "add", "bob")
    #expect(try programs.endServer() == .exited(0))
    // Takes the file alone.
    let copy = try AccessPrograms(database: URL(filePath: programs.scratch.path("server.sqlite")))
    #expect(try copy.operate("user", "token", "bob").hasPrefix("bob\t"))
    #expect(try copy.endServer() == .exited(0))
  }

  @Test func `a state folder of a former wallet is opened, and its server is not reached`() throws {
    let scratch = try Scratch()
    let state = scratch.path("enrolled")
    try FileManager.default.copyItem(at: Fixtures.url("States/enrolled"), to: URL(filePath: state))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: state + "/device")
    func run(_ command: String...) throws -> WalletOutput {
      try WalletOutput(
        ProgramRun(AccessPrograms.path("tap-wallet"), command + ["--state", state, "--format", "json"]))
    }
    let accounts = try run("accounts")
    #expect(accounts.code == 0, "\(accounts.text)")
    let device = accounts.events.first { $0["event"]?.text == "device" }
    #expect(device?["deviceId"]?.text == "E8D42A9D5952434E43B039EDAE896FF4")
    let status = try run("status")
    #expect(status.code == 3 && status.errorCode == "authenticationInvocationDidFail", "\(status.text)")
    #expect(status.events.first?["policy"]?.text == "biometricOnly", "\(status.text)")
  }
}
