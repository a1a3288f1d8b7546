import JSON
import TestSupport
import Testing

/// `tap-wallet lost authenticators`: a user who lost a device removes it with another one.
@Suite(.blocks, .timeLimit(.minutes(20))) struct LostAuthenticatorTests {
  private let programs: AccessPrograms
  private let other: String

  /// Two devices of alice, each with a PIN.
  init() throws {
    programs = try AccessPrograms()
    other = programs.scratch.path("other")
    try programs.registerPIN()
    let added = try programs.operate("user", "token", "alice", "--format", "json").split(separator: "\n")[0]
    let token = try #require(try JSONValue(parsing: Array(added.utf8))["registrationToken"]?.text)
    let second = try elsewhere(
      ["register", "--account", "alice", "--authenticator", "pin", "--name", "Lost", "--token", token], "654321",
      ["--server", programs.url, "--ca", programs.authority])
    try #require(second.code == 0, "\(second.text)")
  }

  private func elsewhere(_ command: [String], _ pin: String, _ options: [String] = []) throws -> WalletOutput {
    let answers = try programs.scratch.write("other.json", #"{"pin": ["\#(pin)"]}"#)
    return try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap-wallet"),
        command + options + ["--state", other, "--answers", answers, "--format", "json"]))
  }

  private func list() throws -> [JSONValue] {
    let run = try programs.run("lost", "authenticators", "list", answers: ["pin": ["123456"]])
    #expect(run.code == 0, "\(run.text)")
    return run.last["devices"]?.list ?? []
  }

  @Test func `a lost device is listed and removed by an authentication with another one`() throws {
    let devices = try list()
    #expect(devices.map { $0["name"]?.text } == ["Phone", "Lost"], "\(devices)")
    #expect(devices.map { $0["current"]?.flag } == [true, false])
    let lost = try #require(devices.last?["id"]?.text)
    let removal = try programs.run("lost", "authenticators", "remove", lost, answers: ["pin": ["123456"]])
    #expect(removal.code == 0, "\(removal.text)")
    #expect(try list().map { $0["name"]?.text } == ["Phone"])
    let stolen = try elsewhere(["authenticate"], "654321")
    #expect(stolen.code == 2, "\(stolen.text)")
    #expect(try programs.run("authenticate", answers: ["pin": ["123456"]]).code == 0)
    #expect(try !programs.operate("device", "list").contains("Lost"))
  }

  @Test func `this device, an unknown one, and a wrong PIN are refused`() throws {
    let own = try #require(try list().first?["id"]?.text)
    let pin = ["pin": ["123456"]]
    let self_ = try programs.run("lost", "authenticators", "remove", own, answers: pin)
    #expect(self_.errorCode == "InvalidArgument" && self_.text.contains("is this device"), "\(self_.text)")
    let unknown = try programs.run("lost", "authenticators", "remove", "nothing", answers: pin)
    #expect((unknown.code, unknown.errorCode) == (2, "Refused"), "\(unknown.text)")
    let wrong = try programs.run("lost", "authenticators", "remove", own, answers: ["pin": ["000000"]])
    #expect((wrong.code, wrong.errorCode) == (2, "unanswered"), "\(wrong.text)")
    #expect(try list().count == 2)
  }

  @Test func `a device without an account has no list`() throws {
    let run = try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap-wallet"),
        [
          "lost", "authenticators", "list", "--state", programs.scratch.path("empty"), "--server", programs.url, "--ca",
          programs.authority, "--format", "json",
        ]))
    #expect((run.code, run.errorCode) == (2, "NotRegistered"), "\(run.text)")
  }
}
