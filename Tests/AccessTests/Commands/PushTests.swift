import Foundation
import JSON
import TestSupport
import Testing

/// Push messages: the queue of a device, and the address that a later command changes.
@Suite(.blocks, .timeLimit(.minutes(20))) struct PushTests {
  private static func target(_ programs: AccessPrograms) throws -> String {
    let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)"
    let run = try ProgramRun(
      "/usr/bin/python3",
      ["-c", script, programs.scratch.path("server.sqlite"), "SELECT account, name, pushTarget FROM device"])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }

  private static func register(
    _ programs: AccessPrograms, _ authenticator: String, _ options: [String], answers: [String: [String]] = [:]
  ) throws {
    let run = try WalletOutput(
      programs.start(
        ["register", "--account", "alice", "--authenticator", authenticator] + options, answers: answers, isFirst: true)
    )
    try #require(run.code == 0, "\(run.text)")
  }

  @Test func `a registration that is dispatched to the queue of a device is listed there and redeemed once`() throws {
    let programs = try AccessPrograms()
    try Self.register(programs, "pin", ["--name", "Phone", "--push", "first"], answers: ["pin": ["123456"]])
    try programs.operate("dispatch", "registration", "--account", "alice", "--channel", "push")
    let pending = try programs.run("pending")
    #expect(pending.last["operations"]?.integer == 1, "\(pending.text)")
    let run = try programs.run(
      "redeem", "1", "--authenticator", "password", answers: ["password": ["Abcdefgh1j"]])
    #expect(run.code == 0 && run.last["authenticator"]?.text == "password", "\(run.text)")
    #expect(try programs.run("pending").last["operations"]?.integer == 0)
    #expect(try programs.run("redeem", "1").errorCode == "InvalidArgument")
    let authentication = try programs.run(
      "authenticate", "--authenticator", "password", answers: ["password": ["Abcdefgh1j"]])
    #expect(authentication.code == 0, "\(authentication.text)")
  }

  @Test func `a device without an address for push messages has no queue`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let run = try ProgramRun(
      AccessPrograms.path("tap-server"),
      [
        "dispatch", "registration", "--account", "alice", "--channel", "push", "--server", programs.url, "--ca",
        programs.authority, "--operator", programs.scratch.path("server/operator.token"),
      ])
    #expect(try run.finish() == .exited(2))
    #expect(run.errors.contains("alice has 0 devices that receive push messages"), "\(run.errors)")
  }

  @Test func `a later registration changes the name and the address of the device`() throws {
    let programs = try AccessPrograms()
    try Self.register(programs, "pin", ["--name", "Phone", "--push", "first"], answers: ["pin": ["123456"]])
    #expect(try Self.target(programs) == "alice Phone first\n")
    let pin = ["pin": ["123456"], "authenticator": ["pin"]]
    try Self.register(programs, "passcode", ["--push", "second"], answers: pin)
    #expect(try Self.target(programs) == "alice Phone second\n")
    try Self.register(programs, "biometric", ["--name", "Tablet", "--push", "second"], answers: pin)
    #expect(try Self.target(programs) == "alice Tablet second\n")
    let device = try programs.run("accounts").events.first { $0["event"]?.text == "device" }
    #expect(device?["name"]?.text == "Tablet" && device?["push"]?.flag == true)
  }

  @Test(arguments: [
    ([], 1), (["--retries", "3", "--retry-delay", "0"], 4),
    (["--retries", "2", "--retry-delay", "0", "--retry-growth", "1"], 3),
  ])
  func `a change is repeated after a failure of the network as often as the options say`(
    _ options: [String], _ count: Int
  ) throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    #expect(try programs.endServer() == .exited(0))
    let trace = programs.scratch.path("trace")
    let run = try WalletOutput(programs.start(["device", "name", "Tablet", "--trace", trace] + options))
    #expect((run.code, run.errorCode) == (3, "Network"), "\(run.text)")
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(text.split(separator: "\n").count { $0.contains("PATCH ") } == count, "\(text)")
  }

  @Test(arguments: [
    (["--retries", "101"], "--retries is 0 to 100"),
    (["--retries", "1", "--retry-growth", "11"], "--retry-growth is 0 to 10"),
    (["--retry-growth", "1", "--retry-delay", "61"], "--retry-delay 61 is longer than --retry-maximum-delay 60"),
  ])
  func `a policy of repetition that is implausible is wrong usage with its limit`(
    _ options: [String], _ message: String
  ) throws {
    let run = try AccessPrograms().start(["device", "name", "Tablet"] + options, format: "text")
    #expect(try run.finish() == .exited(64) && run.errors.contains(message), "\(run.errors)")
  }

  @Test func `a redeemed registration changes the name and the address of the device`() throws {
    let programs = try AccessPrograms()
    try Self.register(programs, "pin", ["--name", "Phone", "--push", "first"], answers: ["pin": ["123456"]])
    try programs.operate("dispatch", "registration", "--account", "alice", "--channel", "push")
    let run = try programs.run(
      "redeem", "1", "--authenticator", "password", "--name", "Tablet", "--push", "second",
      answers: ["password": ["Abcdefgh1j"]])
    #expect(run.code == 0, "\(run.text)")
    #expect(try Self.target(programs) == "alice Tablet second\n")
    try programs.operate("dispatch", "authentication", "--account", "alice", "--channel", "push")
    #expect(try programs.run("pending").last["operations"]?.integer == 1)
  }
}
