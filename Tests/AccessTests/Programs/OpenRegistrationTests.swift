import Foundation
import JSON
import TestSupport
import Testing

/// Open registration at the programs.
@Suite(.blocks, .timeLimit(.minutes(20))) struct OpenRegistrationTests {
  @Test func `another device registers a name that has an authenticator with the operator's token only`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let other = programs.scratch.path("other")
    func register(_ options: String...) throws -> WalletOutput {
      let answers = try programs.scratch.write("\(UUID().uuidString).json", #"{"pin": ["654321"]}"#)
      return try WalletOutput(
        ProgramRun(
          AccessPrograms.path("tap-wallet"),
          [
            "register", "--account", "alice", "--authenticator", "pin", "--name", "Other phone", "--state", other,
            "--server", programs.url, "--ca", programs.authority, "--answers", answers, "--format", "json",
          ] + options))
    }
    let refused = try register()
    #expect(refused.code == 2 && refused.text.contains("the name has an authenticator"), "\(refused.text)")
    #expect(refused.prompts.isEmpty)
    let added = try JSONValue(
      parsing: Array(programs.operate("user", "add", "alice", "--format", "json").split(separator: "\n")[0].utf8))
    let token = try #require(added["registrationToken"]?.text)
    let registered = try register("--token", token)
    #expect(registered.code == 0, "\(registered.text)")
    #expect(try register("--token", token).code == 2)
  }

  @Test func `a wrong PIN at the first authentication registers nothing`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let refused = try programs.run(
      "register", "--account", "alice", "--authenticator", "biometric", answers: ["pin": ["000000"]])
    #expect(refused.errorCode == "unanswered", "\(refused.text)")
    #expect(try programs.run("accounts").events.count { $0["event"]?.text == "registration" } == 1)
  }
}
