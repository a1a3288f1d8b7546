import AccessMessages
import Foundation
import JSON
import ScriptedClient
import TestSupport
import Testing

@Suite("A server whose database fails", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ServerFaultTests {
  @Test func `a full disk is answered with 503, and with space again the server goes on`() async throws {
    let disk = try MountedDisk(kilobytes: 4_096)
    let server = try RunningServer(in: disk.path)
    let filler = try disk.fill()
    // The log of the database has room for some users.
    let refused = try (0..<200).lazy.map { try server.run("user", "add", "user \($0)") }.first { $0.code != 0 }
    let failure = try #require(try refused?.lines().last)
    #expect(failure["error"]?["code"]?.text == "unavailable", "\(failure.compact)")
    #expect(refused?.code == 1)
    try FileManager.default.removeItem(atPath: filler)
    let added = try server.run("user", "add", "later")
    #expect(added.code == 0, "\(added.errors)")
    try server.killAndRestart()
    var client = try ScriptedClient(
      server.exchange(), base: server.url, account: "last", operatorToken: server.operatorToken())
    for step in ScriptedClient.Step.allCases { try await client.perform(step) }
  }

  @Test func `a disk that becomes read-only is answered with 503, and the server reads, but is not ready`() async throws
  {
    let disk = try JournaledDisk()
    let server = try RunningServer(in: disk.path, ["--metrics", "127.0.0.1:0"])
    let ready = try #require(server.metricsURL) + "/health/ready"
    var client = try ScriptedClient(
      server.exchange(), base: server.url, account: "alice", operatorToken: server.operatorToken())
    try await client.perform(.addUser)
    #expect(try ProgramRun("curl", ["--silent", "--fail", ready]).finish() == .exited(0))
    try disk.abort()
    await #expect {
      try await client.perform(.requestRegistration)
    } throws: { ($0 as? ScriptedClient.Failure)?.description.contains("HTTP 503") == true }
    // The server looks at its database once a second at most.
    var health = ""
    for _ in 0..<30 where !health.hasSuffix("503") {
      let answer = try ProgramRun("/bin/sh", ["-c", "sleep 0.2; curl --silent --write-out '%{http_code}' \(ready)"])
      _ = try answer.finish()
      health = answer.output
    }
    #expect(health.hasSuffix("503") && health.contains(#""part": "database""#), "\(health)")
    #expect(try server.run("device", "list").code == 0)
  }

  /// A write beyond the limit of the size of files (EFBIG) is an I/O error for SQLite, and no full disk.
  @Test func `an I/O error is answered with 503 to all that share a transaction, and afterwards the server goes on`()
    async throws
  {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    let token = try server.operatorToken()
    let clients = try (1...16).map { number in
      try ScriptedClient(server.exchange(), base: server.url, account: "user \(number)", operatorToken: token)
    }
    // Its log, a file too, stays below the size of that of the database.
    let size = try FileManager.default.attributesOfItem(atPath: server.database + "-wal")[.size]
    try limitFiles(of: server.process.identifier, to: "\(try #require(size as? Int))")
    let refused = await withTaskGroup(of: String.self) { group in
      for client in clients { group.addTask { await failure(client) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refused.count == 16 && refused.allSatisfy { $0.contains("HTTP 503") }, "\(refused)")
    let isLogged = server.process.wait(timeout: .seconds(60)) { $0.errors.contains("SQLite error 778") }
    #expect(isLogged, "\(server.process.errors)")
    try limitFiles(of: server.process.identifier, to: "unlimited")
    for var client in clients { for step in ScriptedClient.Step.allCases.prefix(3) { try await client.perform(step) } }
  }

  private func limitFiles(of process: Int32, to size: String) throws {
    let limit = try ProgramRun("prlimit", ["--pid", "\(process)", "--fsize=\(size):unlimited"])
    #expect(try limit.finish() == .exited(0), "\(limit.errors)")
  }

  /// Why a user cannot be added; empty when one was.
  private func failure(_ client: ScriptedClient) async -> String {
    var client = client
    do {
      try await client.perform(.addUser)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `a database that another process has locked is answered with 503, and is used again afterwards`() throws {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    let other = try ProgramRun(
      "/usr/bin/python3",
      [
        "-uc",
        """
        import signal, sqlite3
        connection = sqlite3.connect('\(server.database)', isolation_level=None)
        connection.execute('BEGIN IMMEDIATE')
        print('locked')
        signal.pause()
        """,
      ])
    #expect(other.wait(timeout: .seconds(30)) { $0.output.contains("locked") }, "\(other.errors)")
    let refused = try server.run("user", "add", "alice")
    #expect(refused.code == 1)
    #expect(try refused.lines().last?["error"]?["code"]?.text == "unavailable")
    other.signal(SIGKILL)
    _ = try other.finish()
    #expect(try server.run("user", "add", "alice").code == 0)
  }

  @Test func `a database that is damaged while the server runs does not end the server`() throws {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    #expect(try server.run("user", "add", "alice").code == 0)
    for name in ["", "-wal"] {
      let file = try FileHandle(forWritingTo: URL(filePath: server.database + name))
      try file.write(contentsOf: Data(repeating: 0x5A, count: 65_536))
      try file.close()
    }
    _ = try server.run("user", "add", "bob")
    _ = try server.run("device", "list")
    #expect(server.process.poll() == nil)
  }
}
