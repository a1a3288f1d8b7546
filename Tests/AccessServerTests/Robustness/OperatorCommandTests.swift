import AccessMessages
import Foundation
import JSON
import QRCode
import ScriptedClient
import TestSupport
import Testing

@Suite("The commands of the operator", .blocks, .timeLimit(.minutes(20)))
struct OperatorCommandTests {
  let scratch: Scratch
  let server: RunningServer

  init() throws {
    scratch = try Scratch()
    server = try RunningServer(in: scratch.directory.path)
  }

  /// Checks the last line of a command that failed.
  func expect(_ run: CommandRun, _ operation: String, _ code: String, exit: Int32) throws {
    #expect(run.code == exit, "\(run.output)\(run.errors)")
    let last = try #require(try run.lines().last)
    #expect(last["event"]?.text == "failed" && last["operation"]?.text == operation)
    #expect(last["error"]?["code"]?.text == code, "\(last.compact)")
    #expect(run.errors.hasPrefix("error: "))
  }

  func client(_ steps: ScriptedClient.Step...) async throws -> ScriptedClient {
    var client = try ScriptedClient(
      server.exchange(), base: server.url, account: "alice", operatorToken: server.operatorToken())
    for step in steps { try await client.perform(step) }
    return client
  }

  @Test func `user add prints a registration token, as text and as JSON`() throws {
    let text = try server.run("user", "add", "alice", json: false)
    #expect(text.code == 0 && text.output.count == 44)
    let lines = try server.run("user", "add", "Zoë O'Hara").lines()
    #expect(lines.count == 2 && lines[0]["name"]?.text == "Zoë O'Hara")
    #expect(lines[0]["registrationToken"]?.text?.count == 43)
    #expect(lines[1].compact == #"{"event": "succeeded", "operation": "user add"}"#)
  }

  @Test(arguments: ["alice", "\u{FF41}lice", "al\u{2170}ce"])
  func `user add of a name that exists ends with exit code 2 and prints no token`(_ name: String) throws {
    #expect(try server.run("user", "add", "alice").code == 0)
    let again = try server.run("user", "add", name)
    try expect(again, "user add", "exists", exit: 2)
    #expect(try again.lines().count == 1 && again.errors.contains("tap-server user token NAME"), "\(again.errors)")
    #expect(try server.run("user", "add", "Alice").code == 0)
  }

  @Test func `user token prints the name and a further token, for exactly this name`() throws {
    try expect(server.run("user", "token", "alice"), "user token", "notFound", exit: 2)
    let first = try server.run("user", "add", "alice", json: false).output.dropLast()
    try expect(server.run("user", "token", "\u{FF41}lice"), "user token", "notFound", exit: 2)
    let text = try server.run("user", "token", "alice", json: false).output
    let parts = text.dropLast().split(separator: "\t")
    #expect(parts.first == "alice" && parts.last?.count == 43 && parts.last != first, "\(text)")
    let lines = try server.run("user", "token", "alice").lines()
    #expect(lines.count == 2 && lines[0]["name"]?.text == "alice")
    #expect(lines[0]["registrationToken"]?.text?.count == 43)
    #expect(lines[1].compact == #"{"event": "succeeded", "operation": "user token"}"#)
  }

  @Test func `device remove says how the device can be registered again, and names deactivate`() async throws {
    _ = try await client(.addUser, .requestRegistration, .register, .addDevice)
    let id = try #require(try server.run("device", "list").lines().first?["id"]?.text)
    let removal = try server.run("device", "remove", id, json: false)
    #expect(removal.code == 0 && removal.output.contains("tap-server user token"), "\(removal.output)")
    #expect(removal.output.contains("tap-server device deactivate"))
  }

  @Test func `a device is listed, deactivated, activated and removed`() async throws {
    _ = try await client(.addUser, .requestRegistration, .register, .addDevice)
    let listed = try server.run("device", "list").lines()
    let id = try #require(listed.first?["id"]?.text)
    #expect(listed.count == 2 && listed[0]["state"]?.text == "active" && listed[0]["account"]?.text == "alice")
    #expect(try server.run("device", "list", "--account", "bob").lines().count == 1)
    for (command, state) in [("deactivate", "inactive"), ("activate", "active")] {
      #expect(try server.run("device", command, id).code == 0)
      #expect(try server.run("device", "list", json: false).output == "\(id)\t\(state)\talice\tPhone\n")
    }
    #expect(try server.run("device", "remove", id).code == 0)
    #expect(try server.run("device", "list").lines().count == 1)
    for command in ["deactivate", "activate", "remove"] {
      try expect(server.run("device", command, id), "device \(command)", "notFound", exit: 2)
    }
    try expect(server.run("device", "remove", "../users?"), "device remove", "notFound", exit: 2)
  }

  @Test func `a wallet is listed, and its device is deactivated, activated and unlinked`() async throws {
    _ = try await client(.enrolWallet, .linkDevice)
    let (user, device) = ("alice@example.org", "device of alice")
    let holder = "Ada Lovelace\t123"
    let listed = try server.run("wallet", "list").lines()
    #expect(listed.count == 2 && listed[0]["userName"]?.text == user)
    #expect(listed[0]["devices"]?.list?.first?["deviceId"]?.text == device)
    #expect(try server.run("wallet", "list", "--user", "bob@example.org").lines().count == 1)
    for (command, state) in [("deactivate", "inactive"), ("activate", "active")] {
      #expect(try server.run("wallet", command, device).code == 0)
      #expect(
        try server.run("wallet", "list", json: false).output == "\(user)\t\(device)\t\(state)\tPhone\t\(holder)\n")
    }
    #expect(try server.run("wallet", "unlink", device).code == 0)
    #expect(try server.run("wallet", "list", json: false).output == "\(user)\t-\t-\t-\t\(holder)\n")
    for command in ["deactivate", "activate", "unlink"] {
      try expect(server.run("wallet", command, device), "wallet \(command)", "notFound", exit: 2)
    }
  }

  @Test func `a dispatch prints a link, writes a QR code, and finds the device of a push message`() async throws {
    var client = try await client(.addUser, .requestRegistration, .register)
    func dispatch(_ further: String...) throws -> CommandRun {
      try CommandRun(
        ["dispatch", "authentication", "--account", "alice", "--text", "Pay 1 EUR", "--channel"] + further + [
          "--server", server.url, "--ca", server.authority, "--operator", server.tokenFile, "--format", "json",
        ])
    }
    let link = try dispatch("link").lines()
    #expect(link.first?["content"]?.text?.hasPrefix("\(server.url)/open?dispatchTokenResponse=") == true)
    let file = scratch.path("code.png")
    let code = try dispatch("png-qr-code", "-o", file)
    let content = try #require(try code.lines().first?["content"]?.text, "\(code.errors)")
    #expect(try QRCode.text(inPNG: [UInt8](Data(contentsOf: URL(filePath: file)))) == content)
    try expect(dispatch("png-qr-code", "-o", file), "dispatch authentication", "fileExists", exit: 1)
    #expect(try dispatch("png-qr-code", "-o", file, "--force").code == 0)
    try expect(dispatch("push"), "dispatch authentication", "dispatchTargetNotFound", exit: 2)
    try await client.perform(.addDevice)
    #expect(try dispatch("push").code == 0)
    #expect(try dispatch("link", "-o", file).code == 64)
    #expect(try dispatch("pigeon").code == 64)
  }

  @Test func `a user that does not exist, and a text that is not ASCII, are refused`() throws {
    func dispatch(_ further: String...) throws -> CommandRun {
      try CommandRun(
        ["dispatch", "authentication", "--channel", "link", "--account"] + further + [
          "--server", server.url, "--ca", server.authority, "--operator", server.tokenFile, "--format", "json",
        ])
    }
    try expect(dispatch("bob"), "dispatch authentication", "userNotFound", exit: 2)
    #expect(try server.run("user", "add", "alice").code == 0)
    try expect(dispatch("alice", "--text", "5 €"), "dispatch authentication", "malformed", exit: 2)
  }

  @Test func `a wrong token, another authority and a server that is not there have their own exit codes`() throws {
    let other = try Scratch()
    let stranger = try RunningServer(in: other.directory.path)
    func check(server url: String, ca: String, token: String) throws -> CommandRun {
      try CommandRun(["check", "--server", url, "--ca", ca, "--operator", token, "--format", "json"])
    }
    let (ca, token) = (server.authority, server.tokenFile)
    #expect(try check(server: server.url, ca: ca, token: token).code == 0)
    #expect(try check(server: server.url + "/", ca: ca, token: token).code == 0)
    try expect(check(server: server.url, ca: ca, token: stranger.tokenFile), "check", "unauthorized", exit: 2)
    try expect(check(server: server.url, ca: stranger.authority, token: token), "check", "NetworkError", exit: 3)
    try expect(check(server: "https://127.0.0.1:1", ca: ca, token: token), "check", "NetworkError", exit: 3)
    for url in ["http://127.0.0.1:1", "https://", "127.0.0.1:1"] {
      let run = try check(server: url, ca: ca, token: token)
      #expect(run.code == 64 && run.errors.contains("--server \(url): a URL of HTTPS is needed"), "\(run.errors)")
    }
    try expect(check(server: server.url, ca: scratch.path("none"), token: token), "check", "inaccessible", exit: 1)
    try expect(check(server: server.url, ca: ca, token: scratch.path("none")), "check", "inaccessible", exit: 1)
  }
}
