import DeviceAuthentication
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// What a person types into `tap-wallet`, and what it prints for people.
@Suite(.blocks, .timeLimit(.minutes(20))) struct WalletEntryTests {
  @Test func `digits that are typed while entries are ignored are neither shown nor used`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    _ = try programs.run("authenticate", answers: ["pin": ["000000", "000001", "000002"]])
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.start(["authenticate"], format: "text", terminal: descriptor)
    #expect(run.wait(timeout: .seconds(50)) { $0.errors.contains("wait 5") }, "\(run.errors)")
    #expect(run.errors.contains("\rToo many wrong entries: wait"))
    #expect(!terminal.echoes)
    terminal.type("471147\n")
    try programs.advance(seconds: 60)
    #expect(run.wait(timeout: .seconds(50)) { $0.errors.hasSuffix("PIN of alice: ") }, "\(run.errors)")
    terminal.type("123456\n")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    #expect(!terminal.output().contains("4711"))
    #expect(terminal.echoes)
  }

  @Test func `a new PIN is entered twice on a terminal, under its rule`() throws {
    let programs = try AccessPrograms()
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try programs.start(
      ["register", "--account", "alice", "--authenticator", "pin", "--name", "Phone"], isFirst: true, format: "text",
      terminal: descriptor)
    let question = "New PIN of alice: "
    var prompts = 0
    func enter(_ first: String, _ second: String) {
      prompts += 1
      #expect(
        run.wait(timeout: .seconds(120)) { $0.errors.components(separatedBy: question).count == prompts + 1 },
        "\(run.errors)")
      terminal.type(first + "\n")
      #expect(run.wait(timeout: .seconds(120)) { $0.errors.hasSuffix("again: ") }, "\(run.errors)")
      terminal.type(second + "\n")
    }
    enter("12345", "12345")
    enter("123456", "123457")
    enter("123456", "123456")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    #expect(run.errors.components(separatedBy: "A PIN has 6 digits.").count == 4)
    #expect(run.errors.contains("The two entries differ."))
    #expect(try programs.run("authenticate", answers: ["pin": ["123456"]]).code == 0)
  }

  @Test func `a command without an account names the remedy before it asks`() throws {
    let programs = try AccessPrograms()
    for command in [["pin", "change"], ["password", "change"]] {
      let run = try WalletOutput(programs.start(command, isFirst: true))
      #expect(run.code == 2)
      #expect(run.errorCode == "NotRegistered", "\(run.text)")
      #expect(run.text.contains("tap-wallet register"))
      #expect(run.prompts.isEmpty)
    }
  }

  @Test func `a missing answer names its prompt`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let run = try programs.run("authenticate", answers: ["oldPin": ["123456"]])
    #expect(run.errorCode == "unanswered")
    #expect(run.last["error"]?["message"]?.text?.contains("\"pin\"") == true, "\(run.text)")
  }

  @Test func `a word that is no choice is asked for again`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("biometric", "on", answers: ["pin": ["7413"]]).code == 0)
    _ = try programs.run("logout")
    let login = try programs.run("login", "--biometric", answers: ["challenge": ["promt", "prompt"]])
    #expect(login.last["method"]?.text == "biometric", "\(login.text)")
    #expect(login.prompts.map { $0["lastError"]?.text } == [nil, "UnknownChoice"])
  }

  @Test func `a cool-down is printed with its seconds`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let wrong = try programs.start(
      ["authenticate"], answers: ["pin": ["000000", "000001", "000002"]], format: "text")
    #expect(try wrong.finish(timeout: .seconds(120)) == .exited(2))
    #expect(wrong.errors.contains("entries are ignored for 60 seconds."), "\(wrong.errors)")
    let accounts = try programs.start(["accounts"], format: "text")
    #expect(try accounts.finish(timeout: .seconds(120)) == .exited(0))
    #expect(accounts.output.contains("lastAttemptFailed, entries are ignored for "), "\(accounts.output)")
  }

  @Test func `a forgotten PIN is replaced without a question for the user name`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let reset = try programs.run(
      "forgot", "pin", answers: ["answer:pet": ["Rex"], "answer:town": ["Bern"], "newPin": ["8524"]])
    #expect(reset.code == 0, "\(reset.text)")
    #expect(!reset.prompts.contains { $0["name"]?.text == "account" })
    #expect(reset.prompts.last?["rule"]?.text?.contains("4 to 8 digits") == true)
    #expect(try programs.run("login", "--pin", answers: ["pin": ["8524"]]).code == 0)
  }

  @Test func `status names a server that is not reached, and prints no status in text`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.endServer() == .exited(0))
    let status = try programs.start("status", format: "text")
    #expect(try status.finish(timeout: .seconds(120)) == .exited(3))
    #expect(status.output.isEmpty, "\(status.output)")
    #expect(status.errors.contains("nothing listens at this address"), "\(status.errors)")
    #expect(!status.errors.contains("not registered"))
  }

  @Test func `an empty name of a device is wrong usage`() throws {
    let programs = try AccessPrograms()
    let run = try programs.start(["device", "name", " "])
    #expect(try run.finish(timeout: .seconds(120)) == .exited(64))
  }

  @Test func `a registration token may begin with a hyphen`() throws {
    let programs = try AccessPrograms()
    let run = try programs.start(
      ["register", "--account", "alice", "--authenticator", "pin", "--token", "-AAAA", "--name", "Phone"], isFirst: true
    )
    #expect(try run.finish(timeout: .seconds(120)) != .exited(64), "\(run.errors)")
  }

  @Test func `metadata shows the version of the program and the stored facet`() throws {
    let programs = try AccessPrograms()
    _ = try WalletOutput(programs.start(["accounts", "--facet", "ios:bundle-id:other"], isFirst: true))
    let metadata = try programs.run("metadata")
    #expect(metadata.last["facetID"]?.text == "ios:bundle-id:other", "\(metadata.text)")
    #expect(metadata.last["program"]?.text == "0.2.0")
  }

  @Test(arguments: ["tap-wallet", "tap-server"])
  func `every program prints its version`(program: String) throws {
    let run = try ProgramRun(AccessPrograms.path(program), ["--version"])
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0))
    #expect(run.output == "0.2.0\n")
  }

  @Test func `a pending operation is redeemed by its number`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    #expect(try programs.run("device", "push", "address-of-alice").code == 0)
    for text in ["Pay 5 CHF", "Pay 7 CHF"] {
      try programs.operate("dispatch", "authentication", "--account", "alice", "--channel", "push", "--text", text)
    }
    let list = try programs.run("pending")
    #expect(list.events.compactMap { $0["number"]?.integer } == [1, 2], "\(list.text)")
    let beyond = try programs.run("redeem", "3")
    #expect(beyond.errorCode == "InvalidArgument" && beyond.prompts.isEmpty, "\(beyond.text)")
    let second = try programs.run("redeem", "2", answers: ["pin": ["123456"], "confirm": ["yes"]])
    #expect(second.prompts.contains { $0["transaction"]?.text == "Pay 7 CHF" }, "\(second.text)")
    #expect(second.code == 0)
    #expect(try programs.run("pending").last["operations"]?.integer == 1)
    #expect(try programs.endServer() == .exited(0))
    #expect(try programs.run("pending").code == 3)
  }

  @Test func `an authorization is printed for people too`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let run = try programs.start(["authenticate"], answers: ["pin": ["123456"]], format: "text")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    #expect(run.output.contains("\nAuthorization: Bearer ") || run.output.contains("\nCookie: "), "\(run.output)")
  }

  @Test(arguments: ["link", "png-qr-code"])
  func `a registration is dispatched, and names the device that redeems it`(channel: String) throws {
    let programs = try AccessPrograms()
    let file = programs.scratch.path("registration.png")
    let printed = try programs.operate(
      ["dispatch", "registration", "--account", "alice", "--channel", channel]
        + (channel == "link" ? [] : ["-o", file]))
    let message = channel == "link" ? printed.split(separator: "\n").last.map(String.init) : file
    let run = try WalletOutput(
      programs.start(
        ["redeem", try #require(message), "--authenticator", "pin", "--name", "Phone", "--push", "address"],
        answers: ["pin": ["123456"]], isFirst: true))
    #expect(run.code == 0, "\(run.text)")
    #expect(try programs.operate("device", "list").contains("Phone"))
    let again = try programs.run(
      "register", "--account", "alice", "--authenticator", "password", "--name", "Tablet",
      answers: ["pin": ["123456"], "password": ["Abcdefgh1!"]])
    #expect(again.code == 0, "\(again.text)")
    #expect(try programs.operate("device", "list").contains("Tablet"))
  }

  @Test func `a redemption that cannot succeed leaves its message usable`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let link = try #require(
      programs.operate("dispatch", "authentication", "--account", "alice", "--channel", "link", "--text", "Pay 5 CHF")
        .split(separator: "\n").last.map(String.init))
    let answers = ["pin": ["123456"], "confirm": ["yes"]]
    let wrong = try programs.run("redeem", link, "--authenticator", "password", answers: answers)
    #expect(wrong.errorCode == "NO_SUITABLE_AUTHENTICATOR" && wrong.prompts.isEmpty, "\(wrong.text)")
    let elsewhere = try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap-wallet"),
        [
          "redeem", link, "--state", programs.scratch.path("other"), "--server", programs.url, "--ca",
          programs.authority, "--format", "json",
        ]))
    #expect(elsewhere.errorCode == "NO_SUITABLE_AUTHENTICATOR" && elsewhere.prompts.isEmpty, "\(elsewhere.text)")
    #expect(try programs.run("redeem", link, answers: answers).code == 0)
    let again = try programs.run("redeem", link, answers: answers)
    #expect(again.errorCode == "TokenAlreadyRedeemed", "\(again.text)")
  }

  @Test func `a phone whose date was moved too far signs again after its date is set`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    try programs.advance(seconds: 600)
    let refused = try programs.run("device", "name", "Other phone")
    #expect(refused.errorCode == "ClockSkewTooBig", "\(refused.text)")
    #expect(refused.text.contains("tap device simulate --set-date"))
    let kept = try programs.run("deregister")
    #expect(kept.errorCode == "ClockSkewTooBig" && kept.prompts.isEmpty, "\(kept.text)")
    try StoredDevice(path: programs.state + "/device").apply([], settingDate: true)
    let accepted = try programs.run("device", "name", "Other phone")
    #expect(accepted.code == 0, "\(accepted.text)")
  }
}
