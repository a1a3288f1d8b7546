import Fixtures
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// `tap` as the terminal at a real pcscd or an NFC chip, `tap-wallet` as its card, and `tap-server` as the issuer of both.
@Suite("A terminal that asks the issuer of the wallet", .blocks, .timeLimit(.minutes(20)))
struct TerminalStoryTests {
  @Test func `the issuer approves a tap, and declines the next one after the device was deactivated`() throws {
    let pcscd = try IsolatedPCSCD()
    let programs = try PaymentStoryTests.programs()
    _ = try PaymentStoryTests.addCard(programs)
    let device = try #require(programs.operate("wallet", "list").split(separator: "\t").dropFirst().first)
    let link = "vpcd:127.0.0.1:\(pcscd.port)"

    let first = try programs.start("pay", "--link", link)
    let reader = "pcsc:\(pcscd.readerNames[0])"
    let approved = try accept(programs, reader, pcscd.environment)
    #expect(try approved.finish(timeout: .seconds(120)) == .exited(0), "\(approved.output)\(approved.errors)")
    let paid = try WalletOutput(first)
    #expect(paid.code == 0, "\(paid.text)")

    // The wallet has asked the issuer before it waits for a terminal: only the issuer knows of the deactivation.
    let second = try programs.start("pay", "--link", link)
    try #require(
      second.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") }, "\(second.errors)")
    try programs.operate("wallet", "deactivate", String(device))
    let declined = try accept(programs, reader, pcscd.environment)
    #expect(try declined.finish(timeout: .seconds(120)) == .exited(2), "\(declined.output)\(declined.errors)")
    _ = try WalletOutput(second)
    #expect(try programs.run("pay", "--link", link).errorCode == "DeviceInactive")

    // The deactivation has ended the session, so the holder logs in again.
    try programs.operate("wallet", "activate", String(device))
    let login = try programs.run("login", "--pin", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    let payments = try programs.run("history").events.filter { $0["event"]?.text == "payment" }
    #expect(payments.map { $0["approved"]?.flag } == [false, true])
    #expect(payments.map { $0["responseCode"]?.text } == ["62", "00"])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends a payment that waits for a terminal, and the next payment goes on`(signal: Int32) throws {
    let pcscd = try IsolatedPCSCD()
    let programs = try PaymentStoryTests.programs()
    _ = try PaymentStoryTests.addCard(programs)
    let payment = try programs.start("pay", "--link", "vpcd:127.0.0.1:\(pcscd.port)")
    try #require(
      payment.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") }, "\(payment.errors)")
    payment.signal(signal)
    #expect(try payment.finish(timeout: .seconds(60)) == .exited(130), "\(payment.output)\(payment.errors)")
    let next = try programs.run("pay", "--link", "loopback", "--amount", "12.34", "--currency", "EUR")
    #expect(next.code == 0, "\(next.text)")
  }

  @Test func `the issuer approves a tap between two NFC chips`() throws {
    let lab = try ProgramRun(
      AccessPrograms.path("tap"), ["lab", "pair", "--format", "json", "--pace", "none"])
    _ = lab.wait(timeout: .seconds(120)) { $0.output.contains("\n") }
    let chips = try JSONValue(parsing: Array(lab.output.utf8))
    let (initiator, target) = (try #require(chips["initiator"]?.text), try #require(chips["target"]?.text))
    let programs = try PaymentStoryTests.programs()
    _ = try PaymentStoryTests.addCard(programs)

    let payment = try programs.start("pay", "--link", "nfc:\(target)")
    let approved = try accept(programs, "nfc:\(initiator)")
    #expect(try approved.finish(timeout: .seconds(120)) == .exited(0), "\(approved.output)\(approved.errors)")
    let paid = try WalletOutput(payment)
    #expect(paid.code == 0, "\(paid.text)")
    let payments = try programs.run("history").events.filter { $0["event"]?.text == "payment" }
    #expect(payments.map { $0["approved"]?.flag } == [true])
    lab.signal(SIGTERM)
    #expect(try lab.finish() == .exited(0), "\(lab.errors)")
  }

  @Test(arguments: ["visa-fdda", "mastercard-cda"])
  func `a card of the server signs, and a terminal without a host approves it`(_ card: String) throws {
    let pcscd = try IsolatedPCSCD()
    let programs = try PaymentStoryTests.programs(card: card)
    _ = try PaymentStoryTests.addCard(programs)
    let payment = try programs.start("pay", "--link", "vpcd:127.0.0.1:\(pcscd.port)")
    let terminal = try Self.accept(
      "pcsc:\(pcscd.readerNames[0])", ["--terminal", Fixtures.url("Terminals/offline.json").path], pcscd.environment)
    #expect(try terminal.finish(timeout: .seconds(120)) == .exited(0), "\(terminal.output)\(terminal.errors)")
    let receipt = try JSONValue(parsing: Array(terminal.output.utf8))
    #expect(receipt["outcome"]?.text == "approved" && receipt["host"] == nil)
    #expect(receipt["dataAuthentication"]?["result"]?.text == "passed")
    let paid = try WalletOutput(payment)
    #expect(paid.code == 0, "\(paid.text)")
    #expect(try programs.run("history").events.filter { $0["event"]?.text == "payment" }.isEmpty)
  }

  @Test(arguments: ["visa-fdda", "mastercard-cda", "unionpay-fdda"])
  func `the terminal of the loopback approves a card that signs`(_ card: String) throws {
    let programs = try PaymentStoryTests.programs(card: card)
    _ = try PaymentStoryTests.addCard(programs)
    let paid = try programs.run("pay", "--link", "loopback", "--amount", "12.34", "--currency", "EUR")
    #expect(paid.code == 0, "\(paid.text)")
    #expect(paid.events.contains { $0["outcome"]?.text == "approved" }, "\(paid.text)")
  }

  @Test func `an order of the operator blocks the application at a tap, and the wallet lifts the block for the issuer`()
    throws
  {
    let pcscd = try IsolatedPCSCD()
    let folder = try Scratch()
    let file = folder.path("card.json")
    let new = try ProgramRun(
      AccessPrograms.path("tap"), ["card", "new", "--scheme", "mastercard", "--issuer-response", "-o", file])
    try #require(try new.finish() == .exited(0), "\(new.errors)")
    let profile = try String(contentsOfFile: file, encoding: .utf8)
    let programs = try WalletPrograms(#"{"cards": [\#(profile)], "uses": 10}"#)
    let card = try PaymentStoryTests.addCard(programs)
    let options = ["--terminal", Fixtures.url("Terminals/issuer-response.json").path]
    func tap() throws -> (code: ProgramRun.Ending, receipt: JSONValue) {
      let payment = try programs.start("pay", "--link", "vpcd:127.0.0.1:\(pcscd.port)")
      let terminal = try Self.accept(
        "pcsc:\(pcscd.readerNames[0])",
        options + ["--issuer", programs.url, "--issuer-ca", programs.authority], pcscd.environment)
      let code = try terminal.finish(timeout: .seconds(120))
      // A wallet whose payment did not begin waits for another terminal.
      payment.signal(SIGINT)
      _ = try WalletOutput(payment)
      return (code, try JSONValue(parsing: Array(terminal.output.utf8)))
    }

    try programs.operate("card", "script", card, "--block-application")
    let blocking = try tap()
    #expect(blocking.code == .exited(0) && blocking.receipt["host"]?["scripts"] != nil, "\(blocking)")
    let blocked = try tap()
    #expect(blocked.code != .exited(0) && blocked.receipt["host"] == nil, "\(blocked)")
    #expect(try programs.operate("card", "script", "list", card).hasSuffix("\tblockApplication\t1\n"))

    try programs.operate("card", "script", card, "--unblock-application")
    let unblocked = try tap()
    #expect(unblocked.code == .exited(0), "\(unblocked)")
  }

  private func accept(
    _ programs: WalletPrograms, _ reader: String, _ environment: [String: String] = [:]
  ) throws -> ProgramRun {
    try Self.accept(reader, ["--issuer", programs.url, "--issuer-ca", programs.authority], environment)
  }

  private static func accept(
    _ reader: String, _ options: [String], _ environment: [String: String]
  ) throws -> ProgramRun {
    try ProgramRun(
      AccessPrograms.path("tap"),
      [
        "accept", "--reader", reader, "--amount", "12.34", "--currency", "EUR", "--format", "json", "--timeout", "60",
      ] + options, environment: environment)
  }
}
