import AccessMessages
import FIDOUAF
import Foundation
import JSON
import Octets
import ScriptedClient
@testable import ServerShell
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

@Suite("The backup of a server, and its restored copy", .blocks, .timeLimit(.minutes(20)))
struct BackupTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func server(_ file: String) async throws -> TestServer {
    let template = try TestCards.template("visa-cvn18")
    return try await TestServer(store: SQLiteAccessStore(path: scratch.path(file))) { $0.issuer.cards = [template] }
  }

  private func copy(_ file: String, to target: String, _ server: TestServer) throws {
    _ = try DatabaseBackup.copy(file: scratch.path(file), to: scratch.path(target), at: server.clock.now)
  }

  @Test func `nothing that was used after a backup works on the restored copy, and cards go on with new keys`()
    async throws
  {
    let original = try await server("live")
    let cards = try await TestCards(server: original)
    let authenticator = TestAuthenticator()
    try await original.register(authenticator, "alice")
    let first = try await cards.add()
    #expect(try await cards.authorize(cards.request(first, counter: 1)).decision == .approved)
    let open = try await original.authenticationRequest(RequestContext(userName: "alice"))
    try copy("live", to: "copy", original)
    // After the backup: two payments, further keys, and a challenge that is answered.
    let second = try await cards.keys(first.card.id, "delivery-0000002", free: [11])
    let used = try await [cards.request(first, counter: 2), cards.request(second, counter: 11)]
    for payment in used { #expect(try await cards.authorize(payment).decision == .approved) }
    let answer = UAFMessage.authenticationResponse(try authenticator.authentication(open))
    #expect(try await original.respond(answer).status == .ok)
    let unused = try await [cards.request(first, counter: 3), cards.request(second, counter: 12)]

    let restored = try await server("copy")
    #expect(restored.service.copiedAt == WallTime(seconds: original.clock.now.seconds))
    restored.advance(seconds: 301)
    let cardsThere = try await TestCards(server: restored, device: cards.device)
    for payment in used + unused { #expect(try await cardsThere.authorize(payment).decision == .declined) }
    #expect(try await restored.respond(answer).status == .requestInvalid)
    let authorizations = try await restored.store.read { store throws(AccessError) in
      try store.authorizations(of: "alice")
    }
    #expect(authorizations.isEmpty)
    #expect(try await cardsThere.list().cards.map(\.acceptedFrom) == [[65_536]])
    // The wallet knows which counters it has used.
    let third = try await cardsThere.keys(first.card.id, "delivery-0000003", free: [21])
    #expect(third.card.acceptedFrom == [21])
    #expect(try cardsThere.content(third).keys.map(\.firstCounter) == [21])
    for payment in unused { #expect(try await cardsThere.authorize(payment).decision == .declined) }
    #expect(try await cardsThere.authorize(cardsThere.request(third, counter: 21)).decision == .approved)
    #expect(try await restored.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `the mark of a copy is used once for each copy, and the original has none`() async throws {
    let original = try await server("live")
    for name in ["first", "second"] { try copy("live", to: name, original) }
    #expect(try await server("live").service.copiedAt == nil)
    #expect(try await server("first").service.copiedAt != nil)
    #expect(try await server("first").service.copiedAt == nil)
    #expect(try await server("second").service.copiedAt != nil)
  }

  @Test func `a restored server refuses what devices signed until five minutes after its start`() async throws {
    let original = try await server("live")
    try copy("live", to: "copy", original)
    let cards = try await TestCards(server: server("copy"))
    let now = original.clock.now.epochMilliseconds
    await #expect {
      try await cards.decide { try $0.checkRestored(now + DeviceRequest.maximumClockSkew - 1) }
    } throws: { ($0 as? AccessError)?.failure.code == .replay }
    try await cards.decide { try $0.checkRestored(now + DeviceRequest.maximumClockSkew) }
  }

  @Test func `backup copies the database of a running server to one file with mode 0600, and replaces none`() throws {
    let server = try RunningServer(in: scratch.directory.path, settings: #", "openRegistration": false"#)
    let folder = scratch.path("backups")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let file = folder + "/copy"
    func backup(_ target: String, database: String) throws -> CommandRun {
      try CommandRun(["backup", target, "--database", database, "--format", "json"])
    }
    let run = try backup(file, database: "sqlite:" + server.database)
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try run.lines().first?["bytes"]?.integer == attributes[.size] as? Int)
    let content = try Data(contentsOf: URL(filePath: file))
    let again = try backup(file, database: "sqlite:" + server.database)
    #expect(again.code == 1 && again.errors.contains("\(file) exists: name a new file"), "\(again.errors)")
    #expect(try Data(contentsOf: URL(filePath: file)) == content)
    for (target, database, code) in [
      (folder + "/other", "sqlite:/nowhere/db", "unavailable"),
      ("/nowhere/x", "sqlite:" + server.database, "unavailable"),
      (folder + "/other", "postgresql://localhost/x", "notSupported"),
    ] {
      let refused = try backup(target, database: database)
      #expect(refused.code == (code == "notSupported" ? 64 : 1))
      #expect(try refused.lines().last?["error"]?["code"]?.text == code, "\(refused.output)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["copy"])
  }

  /// The users that clients have added.
  private final class Additions: Sendable {
    let names = Mutex<[String]>([])
    let isEnding = Atomic(false)
  }

  @Test func `a backup while sixteen clients write is a whole database with all that was acknowledged before`()
    async throws
  {
    let server = try RunningServer(in: scratch.directory.path, settings: #", "openRegistration": false"#)
    let (url, token, file) = (server.url, try server.operatorToken(), scratch.path("copy"))
    let exchanges = try (0..<16).map { _ in try server.exchange() }
    let additions = Additions()
    let (before, after) = try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, exchange) in exchanges.enumerated() {
        group.addTask {
          defer { additions.isEnding.store(true, ordering: .relaxed) }
          for attempt in 0... {
            if additions.isEnding.load(ordering: .relaxed) { return }
            let name = "user \(number) \(attempt)"
            var client = try ScriptedClient(exchange, base: url, account: name, operatorToken: token)
            try await client.perform(.addUser)
            additions.names.withLock { $0.append(name) }
          }
        }
      }
      while additions.names.withLock({ $0.count }) < 200, !additions.isEnding.load(ordering: .relaxed) {
        try await Task.sleep(for: .milliseconds(5))
      }
      var (before, after, copies) = ([String](), 0, 0)
      repeat {  // a copy that was made between two writes shows nothing of a copy beside them
        if copies > 0 { try FileManager.default.removeItem(atPath: file) }
        before = additions.names.withLock { $0 }
        let run = try CommandRun(["backup", file, "--database", "sqlite:" + server.database])
        #expect(run.code == 0, "\(run.errors)")
        (after, copies) = (additions.names.withLock { $0.count }, copies + 1)
      } while after == before.count && copies < 50 && !additions.isEnding.load(ordering: .relaxed)
      additions.isEnding.store(true, ordering: .relaxed)
      try await group.waitForAll()
      return (before, after)
    }
    #expect(before.count >= 200 && after > before.count, "\(before.count) \(after)")
    let check = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchall())"
    let checked = try ProgramRun("/usr/bin/python3", ["-c", check, file])
    #expect(try checked.finish() == .exited(0) && checked.output == "[('ok',)]\n", "\(checked.output)\(checked.errors)")
    let found = try await SQLiteAccessStore(path: file).read { store throws(AccessError) in
      try before.map { name throws(AccessError) in try store.user(named: name) != nil }
    }
    #expect(!found.contains(false))
  }

  @Test func `the first start on a restored file says that it is a copy, and the next one does not`() throws {
    let settings = #", "openRegistration": false"#
    let server = try RunningServer(in: scratch.directory.path, settings: settings)
    #expect(try CommandRun(["backup", scratch.path("copy"), "--database", "sqlite:" + server.database]).code == 0)
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(timeout: .seconds(60)) == .exited(0))
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: server.database + suffix) }
    try FileManager.default.moveItem(atPath: scratch.path("copy"), toPath: server.database)
    let restored = try RunningServer(in: scratch.directory.path, settings: settings)
    #expect(restored.events.first?.hasPrefix("warning: restored: the database is a copy of 20") == true)
    #expect(try restored.run("check").code == 0)
    try restored.killAndRestart()
    #expect(restored.events.isEmpty)
    #expect(try CommandRun(["restored", "--database", "sqlite:" + server.database]).code == 0)
    try restored.killAndRestart()
    #expect(restored.events.first?.hasPrefix("warning: restored: ") == true)
  }
}
