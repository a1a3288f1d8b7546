import AccessMessages
import Foundation
import JSON
@testable import ServerShell
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

/// A primary with a synchronous standby, both real servers.
@Suite("A server's database on PostgreSQL that fails over to a standby", .blocks, .timeLimit(.minutes(20)))
struct FailoverTests {
  private let primary: PostgreSQLServer
  private let standby: PostgreSQLServer
  private let database: String

  init() throws {
    primary = try PostgreSQLServer()
    database = try primary.newDatabase().name
    standby = try PostgreSQLServer(standbyOf: primary)
    try primary.waitForStandby()
  }

  private final class Progress: Sendable {
    /// The requests whose first attempt was answered, and the others.
    let answered = Atomic(0)
    let unanswered = Atomic(0)
    let isEnding = Atomic(false)

    /// Waits for further answers.
    func advance(by count: Int) async throws {
      let start = answered.load(ordering: .relaxed)
      while answered.load(ordering: .relaxed) < start + count { try await Task.sleep(for: .milliseconds(5)) }
    }

    func note(_ isAnswered: Bool) {
      if isAnswered { answered.add(1, ordering: .relaxed) } else { unanswered.add(1, ordering: .relaxed) }
    }
  }

  private var url: String {
    "postgresql://tester@/\(database)?host=\(primary.directory),\(standby.directory)&target_session_attrs=read-write"
  }

  /// A request that has an effect once: it uses an identifier up and counts. Returns false when it had its effect before.
  private static func request(_ store: PostgreSQLAccessStore, _ client: Int, _ number: Int) async throws -> Bool {
    try await store.maintain { (store) throws(AccessError) in
      let used = UsedWalletRequestRecord(device: "\(client)", requestID: "\(number)", address: nil, expiresAt: 100)
      guard try store.addOnce(used) else { return false }
      let count = try store.failures(of: "\(client)")?.count ?? 0
      try store.save(FailureRecord(subject: "\(client)", count: count + 1, expiresAt: 100))
      return true
    }
  }

  /// Repeats a request until it is answered. Returns whether its first attempt was answered.
  private static func complete(_ store: PostgreSQLAccessStore, _ client: Int, _ number: Int) async throws -> Bool {
    for attempt in 1... {
      do {
        let isNew = try await request(store, client, number)
        #expect(isNew || attempt > 1, "\(client) \(number) had its effect before it was asked for")
        return attempt == 1
      } catch let error as AccessStoreError {
        #expect(error.code == .unavailable, "\(error)")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return false
  }

  /// Sends requests of sixteen clients before and after an act. Returns how many requests each client has completed.
  private static func load(
    _ store: PostgreSQLAccessStore, _ progress: Progress, during act: () throws -> Void
  ) async throws -> [Int: Int] {
    try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for client in 0..<16 {
        group.addTask {
          var number = 0
          while !progress.isEnding.load(ordering: .relaxed) {
            progress.note(try await complete(store, client, number))
            number += 1
          }
          return (client, number)
        }
      }
      try await progress.advance(by: 200)
      try act()
      try await progress.advance(by: 200)
      progress.isEnding.store(true, ordering: .relaxed)
      return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
    }
  }

  private static func check(_ counts: [Int: Int], _ server: PostgreSQLServer, _ database: String) throws {
    for (client, number) in counts {
      let count = try server.sql("SELECT count FROM failure WHERE subject = '\(client)'", in: database)
      #expect(count == "\(number)", "client \(client)")
    }
  }

  @Test func `no acknowledged transaction is lost in a failover, and none has its effect twice`() async throws {
    let reconnections = RunCount()
    var observation = StoreObservation()
    observation.reconnected = { _ = reconnections.next() }
    let store = try PostgreSQLAccessStore(url: url, observation: observation)
    let progress = Progress()
    let counts = try await Self.load(store, progress) {
      try primary.kill()
      try standby.sql("SELECT pg_promote()")
    }
    try Self.check(counts, standby, database)
    #expect(reconnections.value > 0)
  }

  @Test func `no acknowledged transaction is lost when the database is killed and started again`() async throws {
    let server = try PostgreSQLServer()
    let name = try server.newDatabase().name
    let store = try PostgreSQLAccessStore(url: server.url(name))
    let counts = try await Self.load(store, Progress()) {
      try server.kill()
      try server.start()
    }
    try Self.check(counts, server, name)
  }

  /// Ends the wait of a commit for the standby. A time limit of the database ends it in the same way, and reports the commit as
  /// complete.
  private func cancelWait() throws {
    let waiting = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    while try primary.sql(waiting) == "0" {}
  }

  @Test func `a commit that the standby has not confirmed is not acknowledged`() async throws {
    let store = try PostgreSQLAccessStore(url: url)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    try standby.stop()
    let saved = Task {
      try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("d")) }
    }
    try cancelWait()
    let error = await #expect(throws: AccessStoreError.self) { try await saved.value }
    #expect(error?.code == .unavailable && error?.reason.contains("may have succeeded") == true)
  }

  /// A server with open registration.
  static func service(_ store: PostgreSQLAccessStore) async throws -> AccessService {
    try await AccessService(
      store: store, configuration: ServerConfiguration(facets: .any, openRegistration: true),
      url: ServerURL("https://server.test"), operatorToken: nil)
  }

  /// A request that saves a challenge.
  static let registration = {
    let request: JSONValue = ["op": "Reg", "context": #"{"username":"alice"}"#]
    return AccessRequest(
      "POST", AccessPath.registrationRequest, headers: [(name: "content-type", value: MediaType.uaf)],
      body: Array(request.compact.utf8), address: "192.0.2.1")
  }()

  @Test func `a request whose commit the standby has not confirmed is answered with 503`() async throws {
    let service = try await Self.service(PostgreSQLAccessStore(url: url))
    #expect(await service.respond(to: Self.registration).status == 200)
    try standby.stop()
    let response = Task { await service.respond(to: Self.registration) }
    try cancelWait()
    let answer = await response.value
    let body = try JSONValue(parsing: answer.body)
    #expect(answer.status == 503 && body["code"] == "unavailable", "\(body.compact)")
  }
}
