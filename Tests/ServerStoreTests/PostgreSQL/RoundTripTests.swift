import AccessMessages
import Foundation
@testable import AccessServer
import ScriptedClient
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@Suite("Round trips of a server to PostgreSQL", .blocks, .timeLimit(.minutes(20)))
struct RoundTripTests {
  private let database: PostgreSQLDatabase
  private let scratch: Scratch
  private let relay: DatabaseRelay
  private let store: PostgreSQLAccessStore

  init() throws {
    database = try PostgreSQLDatabase()
    scratch = try Scratch()
    relay = try DatabaseRelay(to: database.server.directory, in: scratch.directory.path)
    store = try PostgreSQLAccessStore(
      url: database.url.replacing(database.server.directory, with: relay.directory))
  }

  /// The least round trips of three runs of a task: the relay counts one more where a message reaches it in two parts.
  private func roundTrips(_ task: () async throws -> Void) async throws -> Int {
    var least = Int.max
    for _ in 0..<3 {
      let before = relay.roundTrips
      try await task()
      least = min(least, relay.roundTrips - before)
    }
    return least
  }

  /// A client of a server in this process that uses the relay.
  private func client(_ account: String) async throws -> ScriptedClient {
    let service = try await AccessService(
      store: store, configuration: ServerConfiguration(facets: .any, openRegistration: true),
      url: ServerURL("https://server.test"), operatorToken: "operator")
    return try ScriptedClient(ServiceExchange(service: service), base: "", account: account, operatorToken: "operator")
  }

  @Test func `an authentication, which has two transactions, takes at most four round trips`() async throws {
    var client = try await client("alice")
    let authentication = [.requestAuthentication, .authenticate] as [ScriptedClient.Step]
    for step in [.addUser, .requestRegistration, .register] + authentication { try await client.perform(step) }
    let count = try await roundTrips { for step in authentication { try await client.perform(step) } }
    #expect((1...4).contains(count), "\(count)")
  }

  @Test func `a login by PIN, which has two transactions, takes at most four round trips`() async throws {
    var client = try await client("alice")
    for step in [.enrolWallet, .linkDevice, .logInByPin] as [ScriptedClient.Step] { try await client.perform(step) }
    let count = try await roundTrips { try await client.perform(.logInByPin) }
    #expect((1...4).contains(count), "\(count)")
  }

  @Test func `a login by biometrics takes at most four round trips`() async throws {
    var client = try await client("alice")
    let preparation = [.enrolWallet, .linkDevice, .logInByPin, .enableBiometrics] as [ScriptedClient.Step]
    for step in preparation { try await client.perform(step) }
    let count = try await roundTrips { try await client.perform(.logInByBiometrics) }
    #expect((1...4).contains(count), "\(count)")
  }

  @Test func `a login by password takes at most four round trips`() async throws {
    var client = try await client("alice")
    for step in [.enrolWallet, .linkDevice] as [ScriptedClient.Step] { try await client.perform(step) }
    let count = try await roundTrips { try await client.perform(.logInByPassword) }
    #expect((1...4).contains(count), "\(count)")
  }

  @Test func `a login by nonce, which links the device, takes at most four round trips`() async throws {
    var clients: [ScriptedClient] = []
    for name in ["alice", "bob", "carol"] {
      var client = try await client(name)
      try await client.perform(.enrolWallet)
      clients.append(client)
    }
    let count = try await roundTrips {
      var client = clients.removeLast()
      try await client.perform(.linkDevice)
    }
    #expect((1...4).contains(count), "\(count)")
  }

  /// PostgreSQL locks a whole table for a transaction that has read more than 32 of its rows, and then all others conflict.
  @Test func `an authentication of a user with the most authorizations locks no whole table`() async throws {
    var client = try await client("alice")
    for step in [.addUser, .requestRegistration, .register] as [ScriptedClient.Step] { try await client.perform(step) }
    let authentication = [.requestAuthentication, .authenticate] as [ScriptedClient.Step]
    // The rows of others lie between, so that each row of the user is on a page of its own.
    for number in 0..<RecordLimits.authorizations {
      try await store.write { (store) throws(AccessError) in
        try store.save(Sample.authorization("alice \(number)", expiresAt: .max))
        for other in 0..<80 {
          try store.save(Sample.authorization("\(number) \(other)", of: "\(number) \(other)", expiresAt: .max))
        }
      }
    }
    // The locks of a transaction stay while one that is older is open.
    let older = try PostgreSQLConnection(try PostgreSQLAddress(database.url))
    try older.begin("ISOLATION LEVEL SERIALIZABLE", awaitsAdditions: false)
    _ = try older.rows("SELECT 1", [])
    for step in authentication { try await client.perform(step) }
    // An index without an entry has no page that could be locked.
    let locks = """
      SELECT relname AS name FROM pg_locks JOIN pg_class ON relation = pg_class.oid JOIN pg_database ON database = pg_database.oid
      WHERE datname = current_database() AND mode = 'SIReadLock' AND relkind = 'r' AND locktype
      """
    let tables = try older.rows("\(locks) = 'relation'", [])
    #expect(tables.isEmpty, "\(tables)")
    #expect(try !older.rows("\(locks) <> 'relation'", []).isEmpty)
  }

  @Test func `a transaction that only writes takes one round trip`() async throws {
    let write = {
      try await store.write { (store) throws(AccessError) in
        for number in 0..<10 { try store.save(Sample.operation("\(number)")) }
      }
    }
    try await write()
    #expect(try await roundTrips(write) == 1)
  }

  @Test func `a row that another transaction has added meanwhile is found by the body that runs again`() async throws {
    let results = Mutex<[Bool]>([])
    for _ in 0..<2 {
      let isNew = try await store.write { (store) throws(AccessError) in
        try store.addOnce(UsedWalletRequestRecord(device: "d", requestID: "r", address: nil, expiresAt: 100))
      }
      results.withLock { $0.append(isNew) }
    }
    #expect(results.withLock { $0 } == [true, false])
  }
}
