import Foundation
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("A server's database on PostgreSQL that fails", .blocks, .timeLimit(.minutes(20)))
struct PostgreSQLFaultTests {
  static let secret = "Geheim7"

  @Test(arguments: [
    "postgresql://alice:\(secret)@x@host/tap", "postgresql://alice:\(secret)/x@host/tap",
    "postgresql://alice:%\(secret)@host/tap", "postgresql://host:\(secret)/tap", "postgresql://host/tap?\(secret)=1",
    "postgresql://a:b@[\(secret)/tap",
  ])
  func `a URL that cannot be read is refused without a part of it`(_ url: String) throws {
    let refusal = try #require(PostgreSQLStoreTests.refusal(url))
    #expect(refusal.code == .unavailable)
    #expect(refusal.reason.contains("%40") && !refusal.reason.contains(Self.secret))
  }

  @Test(arguments: [
    "postgresql://alice:\(secret)@127.0.0.1:1/tap", "postgresql://alice:\(secret)@/tap?host=/nonexistent",
    "postgresql://alice@/tap?host=/nonexistent&password=\(secret)",
  ])
  func `a server that cannot be reached is named without the password`(_ url: String) throws {
    let refusal = try #require(PostgreSQLStoreTests.refusal(url))
    #expect(refusal.code == .unavailable)
    #expect(refusal.reason.contains("cannot be reached") && refusal.reason.contains("/tap"))
    #expect(!refusal.reason.contains(Self.secret))
  }

  @Test func `a wrong password, a missing database and a missing schema are refused in words`() throws {
    let server = try PostgreSQLServer.shared.get()
    try server.sql("CREATE ROLE careful LOGIN PASSWORD 'right'")
    try server.requirePassword(of: "careful")
    let wrong = PostgreSQLStoreTests.refusal(server.url("postgres", user: "careful:\(Self.secret)"))
    #expect(wrong?.code == .unavailable)
    #expect(wrong?.reason.contains("password authentication failed") == true)
    #expect(wrong?.reason.contains(Self.secret) == false)
    let missing = PostgreSQLStoreTests.refusal(server.url("missing"))
    #expect(missing?.reason.contains("does not exist") == true, "\(missing?.reason ?? "")")
    let schema = PostgreSQLStoreTests.refusal(server.url("postgres", "&options=-csearch_path%3Dnone"))
    #expect(schema?.reason.contains("no schema") == true, "\(schema?.reason ?? "")")
  }

  @Test func `another encoding and a user without rights are refused with the remedy`() throws {
    let server = try PostgreSQLServer.shared.get()
    let latin = try server.newDatabase("ENCODING 'LATIN1' TEMPLATE template0")
    #expect(PostgreSQLStoreTests.refusal(latin.url)?.reason.contains("ENCODING 'UTF8'") == true)
    try server.sql("CREATE ROLE stranger LOGIN")
    let database = try server.newDatabase()
    let refusal = PostgreSQLStoreTests.refusal(server.url(database.name, user: "stranger"))
    #expect(refusal?.code == .unavailable)
    #expect(refusal?.reason.contains("GRANT") == true, "\(refusal?.reason ?? "")")
  }

  @Test func `a connection that was ended is replaced, and the transaction is made once`() async throws {
    let server = try PostgreSQLServer.shared.get()
    let database = try server.newDatabase()
    let store = try PostgreSQLAccessStore(url: database.url)
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)'"
    for isInside in [false, true] {
      let runs = RunCount()
      if !isInside { try server.sql(end) }
      try await store.save { (store) throws(AccessError) in
        try store.save(Sample.audit)
        if isInside, runs.next() == 1 { _ = try? server.sql(end) }
        try store.save(Sample.audit)
      }
    }
    #expect(try server.sql("SELECT count(*) FROM audit", in: database.name) == "4")
  }

  @Test func `a stopped server is refused, and after its start the same store works`() async throws {
    let server = try PostgreSQLServer()
    let store = try PostgreSQLAccessStore(url: server.newDatabase().url)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    try server.stop()
    for _ in 1...3 {
      await #expect {
        try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("d")) }
      } throws: { ($0 as? AccessStoreError)?.code == .unavailable }
    }
    try server.start()
    try await store.save { (store) throws(AccessError) in
      #expect(try store.challenge("c") == Sample.challenge("c"))
      #expect(try store.challenge("d") == nil)
    }
  }

  @Test func `a read-only database is answered with 503, and the server is not ready until it can be written again`()
    async throws
  {
    let server = try PostgreSQLServer()
    let service = try await FailoverTests.service(PostgreSQLAccessStore(url: server.newDatabase().url))
    let observation = ServerObservation()
    observation.readiness.set(.serving)
    #expect(await service.respond(to: FailoverTests.registration).status == 200)
    for isReadOnly in [true, false] {
      try server.sql("ALTER SYSTEM SET default_transaction_read_only = \(isReadOnly)")
      try server.sql("SELECT pg_reload_conf()")
      // A connection reads the settings again some time later.
      while await service.respond(to: FailoverTests.registration).status != (isReadOnly ? 503 : 200) {}
      while await ServerHealth(service, observation).problems().isEmpty == isReadOnly {}
      let reasons = await ServerHealth(service, observation).problems().map(\.reason)
      #expect(reasons.count { $0.contains("cannot be written") } == (isReadOnly ? 1 : 0), "\(reasons)")
    }
  }

  @Test func `a full disk refuses a transaction, and with space again it is made`() async throws {
    let disk = try MountedDisk(kilobytes: 131_072)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: disk.path)
    let data = disk.path + "/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
    let server = try PostgreSQLServer(data: data)
    let store = try PostgreSQLAccessStore(url: server.newDatabase().url)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    let filler = try disk.fill()
    var refused: AccessStoreError?
    for round in 0..<200 where refused == nil {
      refused = await Self.error {
        try await store.save { (store) throws(AccessError) in
          for index in 0..<50 { try store.save(Sample.challenge("\(round) \(index)")) }
        }
      }
    }
    #expect(refused?.code == .full)
    try FileManager.default.removeItem(atPath: filler)
    try await store.save { (store) throws(AccessError) in
      #expect(try store.challenge("c") != nil)
      try store.save(Sample.challenge("later"))
    }
    try server.stop()
  }

  private static func error(_ body: () async throws -> Void) async -> AccessStoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? AccessStoreError
    }
  }
}
