import AccessMessages
import EMVCard
import EMVData
import EMVIssuer
import Fixtures
import Foundation
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

/// The operator's page of a server in a process of its own, over TLS, in a real browser. The database is filled while the server
/// runs.
@Suite("The operator's page in a browser: users", .blocks, .timeLimit(.minutes(20)))
struct OperatorBrowserTests {
  private static let account = "zoe@example.org"
  private static let hostile = "\"><script>document.title='run'</script>"

  private static let deviceOfAuthenticators = "4f0c5f0e-0b7e-4d8e-9d5c-2f8a"

  let scratch: Scratch
  let server: RunningServer
  /// The last four digits of the card.
  private let lastDigits: String

  init() async throws {
    scratch = try Scratch()
    server = try RunningServer(in: scratch.directory.path)
    let profile = try TestCards.template("visa-cvn18").card(numberedFrom: 1, "999999", of: Issuer(keys: .publicTest))
    let number = profile.image.applications[0].accountNumber.exposedDigits
    lastDigits = String(number.suffix(4))
    try await SQLiteAccessStore(path: server.database).write { store throws(AccessError) in
      for number in 100..<160 { try Self.add("user\(number)@example.org", "User", "Number \(number)", to: store) }
      try Self.add(Self.account, "Zoë", Self.hostile, to: store)
      let device = "device of \(Self.account)"
      let card = IssuedCardRecord(
        id: "card", device: device, account: Self.account, delivery: "d", name: "Visa",
        profile: String(decoding: profile.json, as: UTF8.self), createdAt: 1)
      try store.save(card)
      try Self.addPendingOperation(to: store)
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
  ) throws(AccessError) {
    try store.save(
      EnrolledWalletRecord(
        id: "wallet of \(account)", userName: account, firstName: first, lastName: last, phone: "+41 44 123 45 67",
        passwordHash: "-", pinHash: "-", answers: [], information: "{}", createdAt: 1_780_000_000_000))
    try store.save(
      WalletDeviceRecord(
        deviceID: "device of \(account)", wallet: "wallet of \(account)", name: "Phone of \(first)", signatureKey: "{}",
        encryptionKey: "{}", createdAt: 1_780_000_000_000))
  }

  /// Adds an account with a device that has an operation to confirm.
  private static func addPendingOperation(to store: AccessTransaction) throws(AccessError) {
    try store.save(UserRecord(name: "carol", createdAt: 1_780_000_000_000))
    try store.save(
      DispatchTargetRecord(
        id: deviceOfAuthenticators, externalID: "external", deviceID: "the phone of carol", account: "carol",
        name: hostile, pushTarget: "push", dispatcher: DispatchChannel.push.rawValue, signatureKey: "{}",
        encryptionKey: "{}", createdAt: 1_780_000_000_000))
    try store.save(
      OutOfBandTokenRecord(
        digest: TokenDigest(of: "token"), sessionID: "session", operation: "Auth", account: "carol",
        device: deviceOfAuthenticators, channel: DispatchChannel.push.rawValue, context: "{}",
        createdAt: 1_780_000_000_000, expiresAt: 9_000_000_000_000))
  }

  @Test(arguments: [1_200, 400])
  func `an operator finds a user, unlinks a device after a confirmation and reads the audit trail`(
    _ width: Int
  ) throws {
    let browser = try loggedIn(width)
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
    try browser.click("//select[@id='event']/option[text()='device unlinked']")
    try browser.click("//button[text()='Show']")
    let trail = try browser.text("//table")
    #expect(trail.contains("by the operator") && !trail.contains("operator login"), "\(trail)")
    try expectFits(browser, width)

    try browser.click("//button[text()='Log out']")
    #expect(try browser.text("//p[@role='status']") == "You are logged out.")
    try browser.open(server.url + "/operator/audit")
    #expect(try browser.url().hasSuffix("/operator/login"))
    let console = try browser.console()
    #expect(console == "[]")
    try browser.quit()
  }

  @Test(arguments: [1_200, 400])
  func `every page, every search and the removal of a device fit on the screen`(_ width: Int) throws {
    let browser = try loggedIn(width)
    for (page, content) in [
      ("Users", "Accounts with authenticators"), ("Devices", Self.deviceOfAuthenticators),
      ("Cards", "ending with \(lastDigits)"),
      ("Pending operations", "by push message"), ("Last taps", "12.34 EUR"), ("Audit trail", "operator login"),
    ] {
      try browser.click("//nav//a[text()='\(page)']")
      #expect(try browser.text("//h1") == page)
      #expect(try browser.text("//main").contains(content), "\(page)")
      try expectFits(browser, width)
    }
    #expect(try browser.count("//nav//a") == 6)
    for (text, heading) in [
      ("carol", "Accounts with authenticators"), ("device of \(Self.account)", "Identifiers of devices with a wallet"),
      (Self.deviceOfAuthenticators, "Identifiers of devices with authenticators"),
      (lastDigits, "Cards by their last four digits"),
    ] {
      try search(text, browser)
      #expect(try browser.text("//h2") == heading)
      #expect(try browser.count("//tbody/tr") == 1, "\(text)")
      try expectFits(browser, width)
    }
    try remove(browser, width)
    #expect(try browser.console() == "[]")
    try browser.quit()
  }

  /// Cancels the first time.
  private func remove(_ browser: WebDriver, _ width: Int) throws {
    try search("carol", browser)
    try browser.click("//td//a[text()='carol']")
    for isConfirmed in [false, true] {
      try expectFits(browser, width)
      try browser.click("//a[text()='Remove…']")
      let question = try browser.text("//main")
      #expect(question.contains("This cannot be undone.") && question.contains(Self.hostile), "\(question)")
      try expectFits(browser, width)
      try browser.click(isConfirmed ? "//main//button[text()='Remove']" : "//a[text()='Cancel']")
      #expect(try browser.text("//main").contains("The account has no device.") == isConfirmed)
    }
    try expectFits(browser, width)
  }

  private func loggedIn(_ width: Int) throws -> WebDriver {
    let browser = try WebDriver(
      trusting: WebDriver.pin(ofCertificate: server.identity + "/certificate.pem"), in: scratch)
    try browser.emulate(width: width, isDark: width == 400)
    try browser.open(server.url + "/operator")
    try browser.type(server.operatorToken(), into: "//input[@id='token']")
    try browser.click("//button[text()='Log in']")
    return browser
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
