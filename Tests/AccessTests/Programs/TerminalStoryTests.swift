import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// `tap` as the terminal at a real pcscd, `tap-wallet` as the card in its reader, and `tap-server` as the issuer of both.
@Suite("A terminal that asks the issuer of the wallet", .blocks, .timeLimit(.minutes(20)))
struct TerminalStoryTests {
  @Test func `the issuer approves a tap, and declines the next one after the device was deactivated`() throws {
    let pcscd = try IsolatedPCSCD()
    let programs = try PaymentStoryTests.programs()
    _ = try PaymentStoryTests.addCard(programs)
    let device = try #require(programs.operate("wallet", "list").split(separator: "\t").dropFirst().first)
    let link = "vpcd:127.0.0.1:\(pcscd.port)"

    let first = try programs.start("pay", "--link", link)
    let approved = try accept(programs, pcscd)
    #expect(try approved.finish(timeout: .seconds(120)) == .exited(0), "\(approved.output)\(approved.errors)")
    let paid = try WalletOutput(first)
    #expect(paid.code == 0, "\(paid.text)")

    // The wallet has asked the issuer before it waits for a terminal: only the issuer knows of the deactivation.
    let second = try programs.start("pay", "--link", link)
    try #require(
      second.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") }, "\(second.errors)")
    try programs.operate("wallet", "deactivate", String(device))
    let declined = try accept(programs, pcscd)
    #expect(try declined.finish(timeout: .seconds(120)) == .exited(2), "\(declined.output)\(declined.errors)")
    _ = try WalletOutput(second)
    #expect(try programs.run("pay", "--link", link).errorCode == "DeviceInactive")
  }

  private func accept(_ programs: WalletPrograms, _ pcscd: IsolatedPCSCD) throws -> ProgramRun {
    try ProgramRun(
      AccessPrograms.path("tap"),
      [
        "accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "12.34", "--currency", "EUR", "--format",
        "json", "--timeout", "60", "--issuer", programs.url, "--issuer-ca", programs.authority,
      ], environment: pcscd.environment)
  }
}
