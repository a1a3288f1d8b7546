import AccessMessages
import EMVCard
import EMVData
import EMVIssuer
import Fixtures
import Foundation
import TestSupport
import Testing

@testable import AccessServer

/// The operator's page of a server in a process of its own, over TLS, in a real browser. The database is filled while the server
/// runs.
@Suite("The operator's page in a browser: users", .blocks, .timeLimit(.minutes(20)))
struct OperatorBrowserTests {
  private static let account = "zoe@example.org"
  private static let hostile = "\"><script>document.title='run'</script>"

  let scratch: Scratch
  let server: RunningServer

  init() async throws {
    scratch = try Scratch()
    server = try RunningServer(in: scratch.directory.path)
    let profile = try TestCards.template("visa-cvn18").card(numberedFrom: 1, "999999", of: Issuer(keys: .publicTest))
    try await SQLiteAccessStore(path: server.database).write { store throws(AccessStoreError) in
      for number in 100..<160 { try Self.add("user\(number)@example.org", "User", "Number \(number)", to: store) }
      try Self.add(Self.account, "Zoë", Self.hostile, to: store)
      let device = "device of \(Self.account)"
      let card = CardRecord(
        id: "card", device: device, account: Self.account, delivery: "d", name: "Visa",
        profile: String(decoding: profile.json, as: UTF8.self), createdAt: 1)
      try store.save(card)
      let number = profile.image.applications[0].accountNumber.exposedDigits
      try store.save(
        CardApplicationRecord(accountNumber: number, sequenceNumber: 0, card: "card", place: 0, freeCounter: 1))
      try store.save(
        CardAttemptRecord(
          at: 1, card: nil, lastDigits: "0119", amount: 1_234, currency: 978, responseCode: "14",
          reason: "the issuer does not know the card", address: "192.0.2.1", expiresAt: .max))
    }
  }

  private static func add(
    _ account: String, _ first: String, _ last: String, to store: AccessTransaction
  ) throws(AccessStoreError) {
    try store.save(
      WalletRecord(
        id: "wallet of \(account)", userName: account, firstName: first, lastName: last, phone: "+41 44 123 45 67",
        passwordHash: "-", pinHash: "-", answers: [], information: "{}", createdAt: 1_780_000_000_000))
    try store.save(
      WalletDeviceRecord(
        deviceID: "device of \(account)", wallet: "wallet of \(account)", name: "Phone of \(first)", signatureKey: "{}",
        encryptionKey: "{}", createdAt: 1_780_000_000_000))
  }

  @Test(arguments: [1_200, 400])
  func `an operator finds a user, unlinks a device after a confirmation and reads the audit trail`(
    _ width: Int
  ) throws {
    let browser = try WebDriver(
      trusting: WebDriver.pin(ofCertificate: server.identity + "/certificate.pem"), in: scratch)
    try browser.emulate(width: width, isDark: width == 400)
    try browser.open(server.url + "/operator")
    try browser.type(server.operatorToken(), into: "//input[@id='token']")
    try browser.click("//button[text()='Log in']")
    #expect(try browser.text("//main").contains("Shown: 50 users. There are more."))
    try expectFits(browser, width)

    try search("9999", browser)
    #expect(try browser.text("//main").contains("Nothing begins with"))
    try search("Zo", browser)
    #expect(try browser.text("//main").contains(Self.hostile))
    try expectFits(browser, width)
    try browser.click("//td//a[text()='\(Self.account)']")
    let user = try browser.text("//main")
    #expect(user.contains("Zoë") && user.contains("Phone of Zoë") && user.contains("Visa"), "\(user)")
    try expectFits(browser, width)

    try unlink(browser, width)

    try browser.click("//nav//a[text()='Last taps']")
    #expect(try browser.text("//main").contains("the issuer does not know the card"))
    try expectFits(browser, width)
    try browser.click("//nav//a[text()='Audit trail']")
    try browser.click("//select[@id='event']/option[text()='deviceUnlinked']")
    try browser.click("//button[text()='Show']")
    let trail = try browser.text("//table")
    #expect(trail.contains("by the operator") && !trail.contains("operatorLogin"), "\(trail)")
    try expectFits(browser, width)

    try browser.click("//button[text()='Log out']")
    #expect(try browser.text("//p[@role='status']") == "You are logged out.")
    try browser.open(server.url + "/operator/audit")
    #expect(try browser.url().hasSuffix("/operator/login"))
    let console = try browser.console()
    #expect(console == "[]")
    try browser.quit()
  }

  private func search(_ text: String, _ browser: WebDriver) throws {
    _ = try browser.evaluate("document.getElementById('q').value = ''")
    try browser.type(text, into: "//input[@id='q']")
    try browser.click("//button[text()='Find']")
  }

  /// Cancels the first time.
  private func unlink(_ browser: WebDriver, _ width: Int) throws {
    for isConfirmed in [false, true] {
      try browser.click("//a[text()='Unlink…']")
      let question = try browser.text("//main")
      #expect(question.contains("This cannot be undone.") && question.contains("1 card of the device"), "\(question)")
      try expectFits(browser, width)
      try browser.click(isConfirmed ? "//main//button[text()='Unlink']" : "//a[text()='Cancel']")
      #expect(try browser.text("//main").contains("No device is linked") == isConfirmed)
    }
    #expect(try browser.text("//p[@role='status']") == "The device is unlinked, and its cards are deleted.")
  }

  /// Expects that nothing is wider than the screen, that every field has a label, and that no script has run.
  private func expectFits(_ browser: WebDriver, _ width: Int) throws {
    let url = try browser.url()
    #expect(try browser.evaluate("String(document.documentElement.scrollWidth)") == "\(width)", "\(url)")
    #expect(try browser.count("//input[not(@type=\"hidden\" or @hidden)][not(@id=//label/@for)]") == 0, "\(url)")
    #expect(try browser.evaluate("document.title") != "run", "\(url)")
  }
}
