import Foundation
import JSON
import TestSupport
import Testing

/// The operator's page of a real server, clicked through in a real browser, while a real wallet pays.
@Suite("The operator's page in a browser", .blocks, .timeLimit(.minutes(20)))
struct OperatorPageStoryTests {
  @Test func `an operator deactivates a device and suspends a card, and the wallet obeys`() throws {
    let programs = try PaymentStoryTests.programs()
    _ = try PaymentStoryTests.addCard(programs)
    let device = try #require(programs.operate("wallet", "list").split(separator: "\t").dropFirst().first)
    let browser = try WebDriver(
      trusting: WebDriver.pin(ofCertificate: programs.scratch.path("server/certificate.pem")), in: programs.scratch)
    try logIn(browser, programs)

    try browser.click("//nav//a[text()='Devices']")
    let row = "//tr[contains(., '\(device)')]"
    #expect(try browser.text(row).contains("active"))
    try browser.click(row + "//button[text()='Deactivate']")
    #expect(try browser.text("//p[@role='status']") == "The device is deactivated.")
    let refused = try programs.run("pay", "--link", "loopback")
    #expect((refused.code, refused.errorCode) == (2, "DeviceInactive"), "\(refused.text)")

    try browser.click(row + "//button[text()='Activate']")
    #expect(try browser.text("//p[@role='status']") == "The device is activated.")
    // The deactivation has ended the session of the wallet.
    let login = try programs.run("login", "--pin", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    let paid = try programs.run("pay", "--link", "loopback")
    #expect(paid.code == 0, "\(paid.text)")

    try browser.click("//nav//a[text()='Cards']")
    try browser.click("//button[text()='Suspend']")
    #expect(try browser.text("//p[@role='status']") == "The card is suspended.")
    #expect(try programs.run("pay", "--link", "loopback").code == 2)

    try browser.click("//nav//a[text()='Last taps']")
    let taps = try browser.text("//table")
    #expect(taps.contains("12.34 EUR") && taps.contains("approved"), "\(taps)")
    try browser.click("//button[text()='Log out']")
    #expect(try browser.text("//p[@role='status']") == "You are logged out.")
    try browser.open(programs.url + "/operator/cards")
    #expect(try browser.url().hasSuffix("/operator/login"))
    try browser.quit()
  }

  private func logIn(_ browser: WebDriver, _ programs: WalletPrograms) throws {
    try browser.open(programs.url + "/operator")
    try browser.type("wrong", into: "//input[@id='token']")
    try browser.click("//button[text()='Log in']")
    #expect(try browser.text("//p[@role='status']") == "The token is wrong.")
    let token = try String(contentsOfFile: programs.scratch.path("server/operator.token"), encoding: .utf8)
    try browser.type(token.trimmingCharacters(in: .newlines), into: "//input[@id='token']")
    try browser.click("//button[text()='Log in']")
    #expect(try browser.text("//main").contains(WalletPrograms.user))
  }

  @Test func `a browser that does not know the certificate refuses the page`() throws {
    let programs = try PaymentStoryTests.programs()
    let other = Data(repeating: 0, count: 32).base64EncodedString()
    let browser = try WebDriver(trusting: other, in: programs.scratch)
    try browser.open(programs.url + "/operator")
    let page = try browser.text("//body")
    #expect(page.contains("ERR_CERT_AUTHORITY_INVALID"), "\(page)")
    try browser.quit()
  }
}
