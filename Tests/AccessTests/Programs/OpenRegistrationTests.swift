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
      parsing: Array(programs.operate("user", "token", "alice", "--format", "json").split(separator: "\n")[0].utf8))
    let token = try #require(added["registrationToken"]?.text)
    let registered = try register("--token", token)
    #expect(registered.code == 0, "\(registered.text)")
    #expect(try register("--token", token).code == 2)
  }

  /// Registers a PIN for alice in a folder.
  private func register(
    _ programs: AccessPrograms, in folder: String, _ options: String...
  ) throws -> WalletOutput {
    let answers = try programs.scratch.write("\(UUID().uuidString).json", #"{"pin": ["654321"]}"#)
    return try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap-wallet"),
        [
          "register", "--account", "alice", "--authenticator", "pin", "--name", "Some phone", "--state", folder,
          "--server", programs.url, "--ca", programs.authority, "--answers", answers, "--format", "json",
        ] + options))
  }

  private func token(_ programs: AccessPrograms, _ command: String) throws -> String {
    let line = try programs.operate("user", command, "alice", "--format", "json").split(separator: "\n")[0]
    return try #require(try JSONValue(parsing: Array(line.utf8))["registrationToken"]?.text)
  }

  @Test func `a name whose only device was removed is registered with its token only`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let device = try programs.operate("device", "list").split(separator: "\t")[0]
    #expect(try programs.operate("device", "remove", String(device)).contains("tap-server device deactivate"))
    for folder in [programs.state, programs.scratch.path("stranger")] {
      let refused = try register(programs, in: folder)
      #expect(refused.code == 2 && refused.text.contains("tap-server user token"), "\(refused.text)")
    }
    #expect(try programs.operate("device", "list").isEmpty)
    let registered = try register(programs, in: programs.scratch.path("new"), "--token", token(programs, "token"))
    #expect(registered.code == 0, "\(registered.text)")
  }

  @Test func `a name that the operator has added is registered with its token only`() throws {
    let programs = try AccessPrograms()
    let token = try token(programs, "add")
    let refused = try register(programs, in: programs.scratch.path("stranger"))
    #expect(refused.code == 2 && refused.text.contains("send that token"), "\(refused.text)")
    let registered = try register(programs, in: programs.state, "--token", token)
    #expect(registered.code == 0, "\(registered.text)")
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
