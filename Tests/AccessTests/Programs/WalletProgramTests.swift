import DeviceAuthentication
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite(.blocks, .timeLimit(.minutes(20))) struct WalletProgramTests {
  @Test func `two processes count their wrong PINs together`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let command = ["authenticate", "--authenticator", "pin"]
    let runs = try (0..<2).map { _ in try programs.start(command, answers: ["pin": ["000000"]]) }
    for run in runs { #expect(try WalletOutput(run).errorCode == "unanswered") }
    let registration = try programs.run("accounts").events.first { $0["event"]?.text == "registration" }
    #expect(registration?["remainingRetries"]?.integer == 3)
  }

  @Test func `a terminal shows prompts and no PIN`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let terminal = try PseudoTerminal()
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    let run = try programs.start(["authenticate"], format: "text", terminal: descriptor)
    #expect(run.wait(timeout: .seconds(120)) { $0.errors.hasSuffix("PIN of alice: ") }, "\(run.errors)")
    #expect(!terminal.echoes)
    terminal.type("123456\n")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    #expect(terminal.echoes)
    #expect(!terminal.output().contains("123456"))
    #expect(run.output.hasPrefix("authenticated alice with pin\nAuthorization: Bearer "), "\(run.output)")
  }

  @Test func `SIGINT at a prompt ends with 130 and restores the terminal`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let terminal = try PseudoTerminal()
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    let run = try programs.start(["authenticate"], format: "json", terminal: descriptor)
    #expect(run.wait(timeout: .seconds(120)) { _ in !terminal.echoes }, "\(run.errors)")
    run.signal(SIGINT)
    let output = try WalletOutput(run)
    #expect(output.code == 130)
    #expect(output.errorCode == "interrupted")
    #expect(terminal.echoes)
  }

  @Test func `a cool-down is counted down on a terminal and ends when the device's clock is moved`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    _ = try programs.run("authenticate", answers: ["pin": ["000000", "000001", "000002"]])
    let terminal = try PseudoTerminal()
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    let run = try programs.start(["authenticate"], format: "text", terminal: descriptor)
    #expect(run.wait(timeout: .seconds(50)) { $0.errors.contains("wait 5") }, "\(run.errors)")
    #expect(!run.errors.contains("PIN of alice"))
    try programs.advance(seconds: 60)
    #expect(run.wait(timeout: .seconds(50)) { $0.errors.hasSuffix("PIN of alice: ") }, "\(run.errors)")
    terminal.type("123456\n")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
  }

  static let persons: [(user: String, code: String)] = [
    ("cancel", "USER_CANCELED"), ("fail", "AUTHENTICATOR_ACCESS_DENIED"),
  ]

  @Test(arguments: persons)
  func `a person who is not recognised by the device ends with exit code 2`(user: String, code: String) throws {
    let programs = try AccessPrograms()
    let run = try programs.run(
      "register", "--account", "alice", "--authenticator", "biometric", "--name", "Phone", "--user", user,
      isFirst: true)
    #expect(run.code == 2)
    #expect(run.errorCode == code, "\(run.text)")
    #expect(try !programs.run("accounts").hasRegistration)
  }

  @Test func `a removed lock makes every key disappear`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let device = try StoredDevice(path: programs.state + "/device")
    try device.apply([.disableLockScreen])
    let without = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(without.code == 2)
    #expect(without.errorCode == "NoDeviceLock")
    try device.apply([.setPasscode])
    let after = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(after.code == 2)
    #expect(after.errorCode == "KEY_DISAPPEARED_PERMANENTLY")
    #expect(try programs.run("forget").last["removed"]?.integer == 1)
  }

  @Test func `a server that is not reached or not trusted ends with exit code 3`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let foreign = try AccessPrograms()
    let untrusted = try programs.run(
      "authenticate", "--ca", foreign.authority, answers: ["pin": ["123456"]])
    #expect(untrusted.code == 3)
    #expect(untrusted.errorCode == "Network")
    #expect(try programs.endServer() == .exited(0))
    let unreached = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(unreached.code == 3)
    #expect(unreached.errorCode == "Network")
    #expect(try programs.run("forget").last["removed"]?.integer == 1)
  }

  @Test func `a machine without a key store ends every operation with Hardware`() throws {
    let programs = try AccessPrograms()
    let run = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", "--device",
      "linux:" + programs.scratch.path("no-socket"), answers: ["pin": ["123456"]], isFirst: true)
    #expect(run.code == 2)
    #expect(run.errorCode == "Hardware", "\(run.text)")
  }

  @Test(arguments: [true, false])
  func `status shows whether a restored copy is noticed, which a PIN without a counter gives up`(isProtected: Bool)
    throws
  {
    let programs = try AccessPrograms()
    #expect(try programs.run("status", isFirst: true).last["rollbackProtection"] == nil)
    let option = isProtected ? [] : ["--without-rollback-protection"]
    let registration = try WalletOutput(
      programs.start(
        ["register", "--account", "alice", "--authenticator", "pin", "--name", "Phone"] + option,
        answers: ["pin": ["123456"]]))
    #expect(registration.code == 0, "\(registration.text)")
    #expect(try programs.run("status").last["rollbackProtection"]?.flag == isProtected)
    let text = try programs.start(["status"], format: "text")
    #expect(try text.finish(timeout: .seconds(120)) == .exited(0), "\(text.errors)")
    #expect(text.output.contains("no rollback protection") == !isProtected, "\(text.output)")

    let file = URL(filePath: programs.state + "/mobile-authentication.json")
    let old = try Data(contentsOf: file)
    #expect(try programs.run("authenticate", answers: ["pin": ["000000"]]).errorCode == "unanswered")
    try old.write(to: file)
    let restored = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(restored.errorCode == (isProtected ? "LocalData" : nil), "\(restored.text)")
  }

  @Test func `an older copy of the folder gives no attempts back, and the newest copy works again`() throws {
    let programs = try AccessPrograms()
    let registration = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", "--device",
      programs.scratch.path("phone"), answers: ["pin": ["123456"]], isFirst: true)
    #expect(registration.code == 0, "\(registration.text)")
    let file = URL(filePath: programs.state + "/mobile-authentication.json")
    let old = try Data(contentsOf: file)
    #expect(try programs.run("authenticate", answers: ["pin": ["000000"]]).errorCode == "unanswered")
    let newest = try Data(contentsOf: file)

    try old.write(to: file)
    let refused = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(refused.errorCode == "LocalData" && refused.text.contains("older copy"), "\(refused.text)")

    try newest.write(to: file)
    let authentication = try programs.run("authenticate", answers: ["pin": ["123456"]])
    #expect(authentication.code == 0, "\(authentication.text)")
  }

  @Test func `a profile, a version of the server and a facet are stored at first use`() throws {
    let programs = try AccessPrograms()
    let registration = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", "--profile", "android",
      "--server-version", "7.2405", "--facet", "ios:bundle-id:other", answers: ["pin": ["123456"]], isFirst: true)
    #expect(registration.code == 0, "\(registration.text)")
    let accounts = try programs.run("accounts").events
    #expect(accounts.contains { $0["aaid"]?.text == "F1D0#0001" })
    let trace = programs.scratch.path("trace")
    #expect(try programs.run("authenticate", "--trace", trace, answers: ["pin": ["123456"]]).code == 0)
    let words = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(words.contains("facetID: ios:bundle-id:other") && words.contains("RSA in an OCTET STRING"))
    let settings = try String(contentsOfFile: programs.state + "/settings.json", encoding: .utf8)
    #expect(settings.contains("\"serverVersion\": \"7.2405\""))
    #expect(try programs.run("deregister", "--authenticator", "pin").code == 0)
    #expect(try !programs.run("accounts").hasRegistration)
  }

  @Test func `wrong usage ends with exit code 64`() throws {
    let run = try ProgramRun(AccessPrograms.path("tap-wallet"), ["register", "--authenticator", "iris"])
    #expect(try run.finish() == .exited(64))
  }

  @Test func `the first registration needs the name of the device`() throws {
    let programs = try AccessPrograms()
    let run = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", answers: ["pin": ["123456"]], isFirst: true)
    #expect(run.code == 64)
    #expect(run.errorCode == "InvalidArgument")
  }

  @Test func `a trace has every message in words and no secret`() throws {
    let programs = try AccessPrograms()
    let trace = programs.scratch.path("trace")
    _ = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", "--trace", trace,
      answers: ["pin": ["918273"]], isFirst: true)
    let authentication = try programs.run("authenticate", "--trace", trace, answers: ["pin": ["918273"]])
    _ = try programs.run("device", "name", "Other phone", "--trace", trace)
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    for words in [
      "registration assertion", "surrogate basic attestation", "AAID: F1D0#1001", "counters: zero",
      "authentication assertion", "JWS ES256", "payload.requestId", "facetID: ios:bundle-id:tap-wallet",
    ] {
      #expect(text.contains(words), "the trace has no \(words)")
    }
    let token = try #require(authentication.last["authorization"]?["token"]?.text)
    for secret in ["918273", token] { #expect(!text.contains(secret)) }
    let attributes = try FileManager.default.attributesOfItem(atPath: trace)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
  }

  @Test func `no file of the wallet contains the PIN`() throws {
    let programs = try AccessPrograms()
    _ = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", answers: ["pin": ["918273"]],
      isFirst: true)
    let files = try FileManager.default.contentsOfDirectory(atPath: programs.state)
    #expect(files.count >= 3)
    for name in files {
      let content = try Data(contentsOf: URL(filePath: programs.state + "/" + name))
      for form in ["918273", "393138323733", "OTE4Mjcz"] { #expect(content.range(of: Data(form.utf8)) == nil) }
    }
  }
}
