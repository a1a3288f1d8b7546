import Foundation
import Glibc
import TestSupport
import Testing

/// What a person types into `tap-wallet open`, and when.
@Suite(.blocks, .timeLimit(.minutes(20))) struct OpenInputTests {
  private func loggedIn(_ configuration: String? = nil, _ options: String...) throws -> WalletPrograms {
    let programs = try WalletPrograms(configuration)
    try programs.link()
    let login = try programs.run(["login", "--pin"] + options, answers: ["pin": ["7413"]])
    try #require(login.code == 0, "\(login.text)")
    return programs
  }

  @Test func `Ctrl-C at the prompt asks for the command again`() throws {
    let wallet = try OpenedWallet(try loggedIn())
    try wallet.untilNextPrompt { wallet.run.signal(SIGINT) }
    try wallet.untilNextPrompt { wallet.type("history") }
    #expect(wallet.run.output.contains(#""operation": "history""#), "\(wallet.run.output)")
    try wallet.quit()
  }

  @Test func `Ctrl-C disarms a card, and the wallet stays open`() throws {
    let programs = try loggedIn(OpenWalletTests.issuer())
    #expect(try programs.run("cards", "add").code == 0)
    let reader = try SilentReader()
    let wallet = try OpenedWallet(programs)
    wallet.type("pay --link \(reader.link)")
    #expect(reader.waits(for: "connected"), "\(wallet.run.errors)")
    try wallet.untilNextPrompt { wallet.run.signal(SIGINT) }
    #expect(reader.waits(for: "connected", "closed"), "\(wallet.run.errors)")
    #expect(
      wallet.run.output.contains(#"{"event": "failed", "operation": "pay", "error": {"code": "cancelled""#),
      "\(wallet.run.output)")
    try wallet.untilNextPrompt { wallet.type("pay --link loopback") }
    #expect(wallet.run.output.contains(#""outcome": "approved""#), "\(wallet.run.output)")
    try wallet.quit()
  }

  @Test func `entries renew the session at the server once in a quarter of its limit`() throws {
    let programs = try loggedIn(nil, "--idle-seconds", "200")
    let trace = programs.scratch.path("trace.txt")
    let wallet = try OpenedWallet(programs, trace: trace)
    func renewals() throws -> Int {
      try String(contentsOfFile: trace, encoding: .utf8).components(separatedBy: "PATCH ").count - 1
    }
    func enter(after seconds: Int) throws -> Int {
      if seconds > 0 { try programs.advance(seconds: seconds) }
      try wallet.untilNextPrompt { wallet.type("nonsense") }
      return try renewals()
    }
    let first = try renewals()
    #expect(first == 0)
    #expect(try enter(after: 0) == 0)
    #expect(try enter(after: 50) == 1)
    #expect(try enter(after: 0) == 1)
    #expect(try enter(after: 20) == 1)
    #expect(try enter(after: 30) == 2)
    #expect(try enter(after: 0) == 2)
    try wallet.quit()
  }

  @Test func `the holder is verified again when a verification is too old, while the card waits`() throws {
    let programs = try loggedIn(OpenWalletTests.issuer())
    #expect(try programs.run("cards", "add").code == 0)
    let reader = try SilentReader()
    let wallet = try OpenedWallet(programs)
    wallet.type("pay --link \(reader.link) --validity 1")
    func verifications() -> Int { wallet.run.errors.components(separatedBy: "Verifying the holder").count - 1 }
    #expect(wallet.run.wait(timeout: .seconds(60)) { _ in verifications() > 2 }, "\(wallet.run.errors)")
    try wallet.untilNextPrompt { wallet.run.signal(SIGINT) }
    // Each verification presents the card anew, and none after the last one.
    let cards = reader.run.output.split(separator: "\n").dropFirst()
    #expect(cards.filter { $0 == "connected" }.count >= 2, "\(reader.run.output)")
    try wallet.quit()
  }
}
