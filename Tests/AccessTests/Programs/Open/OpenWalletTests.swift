import DeviceAuthentication
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// `tap-wallet open`: the wallet as an application.
@Suite(.blocks, .timeLimit(.minutes(20))) struct OpenWalletTests {
  private static let cards = "{\"cards\": [CARD], \"uses\": 4, \"threshold\": 2}"

  /// What a person enters who enrols: everything that the form asks for.
  private static let form = [
    "enrol --name Phone", "Alice", "Example", WalletPrograms.user, "+41 44 123 45 67", "Abcdefgh1", "Abcdefgh1", "7413",
    "7413", "pet", "town", "Rex", "Bern",
  ]

  @Test func `a pipe enrols from the Welcome screen, uses the wallet and logs out`() throws {
    let programs = try WalletPrograms()
    let run = try programs.open(
      Self.form + [
        "history", "timeout 120", "change-pin", "7413", "8520", "8520", "logout", "", "8520", "unlink", "quit",
      ],
      isFirst: true)
    #expect(run.code == 0, "\(run.text)")
    #expect(
      run.screens == ["welcome", "wallet", "wallet", "wallet", "wallet", "pin", "wallet", "welcome"], "\(run.text)")
    #expect(
      run.ends == ["enrol", "history", "timeout", "change-pin", "logout", "login", "unlink", "open"], "\(run.text)")
    let limit = run.events.first { $0["operation"]?.text == "timeout" }
    #expect(limit?["idleSeconds"]?.integer == 120, "\(run.text)")
    let welcome = run.events.first { $0["screen"]?.text == "welcome" }
    #expect(welcome?["allowed"]?.list?.compactMap(\.text) == WalletOutput.onWelcome)
  }

  @Test func `a file of answers chooses the commands too`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let run = try programs.open([], answers: ["action": ["login", "logout"], "pin": ["7413"]])
    #expect(run.code == 0 && run.screens == ["pin", "wallet", "pin"], "\(run.text)")
  }

  @Test func `a wrong line is refused with its reason, and the wallet goes on`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let run = try programs.open(["accounts", "nonsense", "pay --link loopback", "login --pin", "7413", "login"])
    #expect(
      run.ends == ["InvalidArgument", "InvalidArgument", "NotAllowed", "login", "NotAllowed", "open"], "\(run.text)")
  }

  @Test func `an issuer without a login by PIN gets the password screen, and login takes the password`() throws {
    let programs = try WalletPrograms(#"{"pinLogin": false}"#)
    try programs.link()
    let run = try programs.open(["login", "Abcdefgh1"])
    #expect(run.screens == ["password", "wallet"], "\(run.text)")
    #expect(run.events.contains { $0["method"]?.text == "password" })
  }

  @Test func `a version that is too old shows the update screen, which allows nothing`() throws {
    let programs = try WalletPrograms(
      #"{"appVersions": {"minimum": "99.1", "latest": "99.2", "url": "https://example.org/wallet"}}"#)
    let run = try programs.open(["enrol"], isFirst: true)
    #expect(run.screens == ["update"] && run.ends == ["NotAllowed", "open"], "\(run.text)")
    #expect(run.events.first?["latest"]?["latest"]?.text == "99.2", "\(run.text)")
  }

  @Test func `a newer version is shown beside the screen`() throws {
    let programs = try WalletPrograms(
      #"{"appVersions": {"minimum": "0.1", "latest": "99.2", "url": "https://example.org/wallet"}}"#)
    let status = try programs.run("status", isFirst: true)
    #expect(status.last["latest"]?["latest"]?.text == "99.2", "\(status.text)")
  }

  @Test func `a server that is not reached is no Welcome`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    #expect(try programs.endServer() == .exited(0))
    let run = try programs.open(["status", "cards list", "logout"])
    #expect(run.screens == ["unreached", "unreached", "unreached"], "\(run.text)")
    #expect(run.ends == ["authenticationInvocationDidFail", "NotAllowed", "logout", "open"], "\(run.text)")
  }

  @Test func `a deactivated device shows its own screen`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    try programs.operate("wallet", "deactivate", try programs.deviceID())
    let run = try programs.open(["login"])
    #expect(run.screens == ["deactivated"] && run.ends == ["NotAllowed", "open"], "\(run.text)")
  }

  @Test func `the wallet opens with its cards, their keys and the last payments`() throws {
    let programs = try WalletPrograms(try Self.issuer())
    try programs.link()
    let first = try programs.open([
      "login", "7413", "cards add", "pay --link loopback", "logout", "login", "7413",
    ])
    #expect(first.code == 0, "\(first.text)")
    let shown = first.events.reversed().prefix { $0["event"]?.text != "screen" }
    #expect(shown.contains { $0["event"]?.text == "card" && $0["paymentsLeft"]?.integer == 3 }, "\(first.text)")
    #expect(shown.contains { $0["event"]?.text == "payment" && $0["approved"]?.flag == true }, "\(first.text)")
  }

  static func issuer() throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Fixtures/Cards")
    let card = try String(contentsOf: folder.appending(path: "visa-cvn18.json"), encoding: .utf8)
    return cards.replacing("CARD", with: card)
  }

  @Test func `an inactive session ends by itself, is announced, and the PIN is offered`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(
      try programs.run("login", "--pin", "--idle-seconds", "300", answers: ["pin": ["7413"]]).code == 0)
    #expect(try limits(programs) == "300\n")
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.startOpen(terminal: descriptor)
    #expect(run.wait(timeout: .seconds(60)) { $0.output.contains(#""name": "action""#) }, "\(run.output)")
    terminal.type("timeout 200\n")
    // The entry counts as activity: the clock moves when the wallet asks again.
    #expect(run.asks(after: #""idleSeconds": 200"#), "\(run.output)")
    #expect(try limits(programs) == "200\n")
    try programs.advance(seconds: 200)
    #expect(run.asks(after: #""screen": "pin""#), "\(run.output)")
    #expect(run.output.contains(#"{"event": "expired"}"#), "\(run.output)")
    #expect(try limits(programs).isEmpty)
    terminal.type("quit\n")
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  /// The users' limits of the sessions at the server.
  private func limits(_ programs: WalletPrograms) throws -> String {
    let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(row[0])"
    let run = try ProgramRun(
      "/usr/bin/python3",
      ["-c", script, programs.scratch.path("server.sqlite"), "SELECT idleSeconds FROM walletSession"])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }

  @Test func `the background stops the process, and the foreground asks for the status again`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.startOpen(terminal: descriptor)
    #expect(run.wait(timeout: .seconds(60)) { $0.output.contains(#""name": "action""#) }, "\(run.output)")
    run.signal(SIGTSTP)
    #expect(run.wait(timeout: .seconds(60)) { Self.isStopped($0.identifier) }, "\(run.output)")
    try programs.operate("wallet", "deactivate", try programs.deviceID())
    run.signal(SIGCONT)
    #expect(run.asks(after: #""screen": "deactivated""#), "\(run.output)")
    terminal.type("quit\n")
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  @Test func `a session that ends in the background is over in the foreground`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(
      try programs.run("login", "--pin", "--idle-seconds", "300", answers: ["pin": ["7413"]]).code == 0)
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.startOpen(terminal: descriptor)
    #expect(run.wait(timeout: .seconds(60)) { $0.output.contains(#""name": "action""#) }, "\(run.output)")
    run.signal(SIGTSTP)
    #expect(run.wait(timeout: .seconds(60)) { Self.isStopped($0.identifier) }, "\(run.output)")
    try programs.advance(seconds: 300)
    run.signal(SIGCONT)
    #expect(run.asks(after: #""screen": "pin""#), "\(run.output)")
    #expect(run.output.contains(#"{"event": "expired"}"#), "\(run.output)")
    terminal.type("quit\n")
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  @Test func `an armed card is gone in the background`() throws {
    let programs = try WalletPrograms(try Self.issuer())
    #expect(try programs.enrol().code == 0)
    #expect(try programs.run("cards", "add").code == 0)
    let reader = try SilentReader()
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.startOpen(terminal: descriptor)
    #expect(run.wait(timeout: .seconds(60)) { $0.output.contains(#""name": "action""#) }, "\(run.output)")
    terminal.type("pay --link \(reader.link)\n")
    #expect(reader.waits(for: "connected"), "\(run.errors)")
    run.signal(SIGTSTP)
    #expect(reader.waits(for: "connected", "closed"), "\(run.errors)")
    #expect(run.wait(timeout: .seconds(60)) { Self.isStopped($0.identifier) }, "\(run.output)")
    run.signal(SIGCONT)
    #expect(
      run.wait(timeout: .seconds(60)) { $0.output.components(separatedBy: #""name": "action""#).count > 2 },
      "\(run.output)")
    terminal.type("quit\n")
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  static func isStopped(_ process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return status.split(separator: ")").last?.hasPrefix(" T") == true
  }
}
