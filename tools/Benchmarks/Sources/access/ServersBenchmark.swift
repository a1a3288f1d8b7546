import AccessMessages
import AccessServer
import FIDOUAF
import Foundation
import HTTPSTransport
import ScriptedClient

/// Measures how many authentications a second one server and two servers answer on one PostgreSQL database that is 2 ms
/// away: `access --servers DIRECTORY DATABASE [--clients N] [--seconds S]`, with the directory of the database's socket and a
/// database whose content is deleted. The servers listen with TLS in this process.
struct ServersBenchmark {
  /// By how much a round trip to the database takes longer, in microseconds.
  private static let delay: UInt32 = 2_000
  private static let operatorToken = "the operator of the benchmark"

  let directory: String
  let database: String
  let clients: Int
  let time: Duration

  /// Reads the arguments; nil without `--servers`.
  init?(_ arguments: [String]) {
    guard let place = arguments.firstIndex(of: "--servers"), arguments.count > place + 2 else { return nil }
    (directory, database) = (arguments[place + 1], arguments[place + 2])
    clients = LoadBenchmark.value("--clients", arguments).flatMap { Int($0) } ?? 64
    time = .seconds(LoadBenchmark.value("--seconds", arguments).flatMap { Int($0) } ?? 4)
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "servers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try DatabaseRelay(to: directory, in: folder.path, delay: Self.delay)
    try PSQL(url: url(directory)).run("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
    let (one, two) = (
      try await measure(servers: 1, relay, in: folder), try await measure(servers: 2, relay, in: folder)
    )
    print("\(clients) clients, a database \(Self.delay / 1_000) ms away, authentications a second")
    print(String(format: "one server %.0f, two servers %.0f, ratio %.2f (at least 1.6)", one, two, two / one))
  }

  private func url(_ directory: String) -> String { "postgresql:///\(database)?host=\(directory)" }

  private func measure(servers count: Int, _ relay: DatabaseRelay, in folder: URL) async throws -> Double {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    configuration.failureLimits.perAddress = .max
    configuration.failureLimits.challengesPerAddress = 10_000_000
    configuration.failureLimits.operationsPerAddress = 10_000_000
    configuration.connections.perAddress = 1_000
    var servers: [LoadedServer] = []
    for _ in 0..<count {
      let service = try await AccessService(
        store: try PostgreSQLAccessStore(url: url(relay.directory)), configuration: configuration,
        url: ServerURL("https://server.test"), operatorToken: Self.operatorToken)
      servers.append(try await LoadedServer(service, in: folder))
    }
    let registered = try await clients(of: servers)
    let begun = ContinuousClock.now
    let end = begun + time
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in registered { group.addTask { try await Self.authenticate(client, until: end) } }
      return try await group.reduce(0, +)
    }
    let elapsed = (ContinuousClock.now - begun).components
    for server in servers { try await server.stop() }
    return Double(total) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
  }

  /// Clients with a credential and an open connection, as many at each server.
  private func clients(of servers: [LoadedServer]) async throws -> [ScriptedClient] {
    var registered: [ScriptedClient] = []
    for number in 0..<clients {
      let server = servers[number % servers.count]
      let transport = try HTTPSTransport(trust: .authorities(file: server.authority))
      var client = try ScriptedClient(
        transport, base: server.url, account: "user \(servers.count) \(number)", operatorToken: Self.operatorToken)
      for step in [.addUser, .requestRegistration, .register, .addDevice] as [ScriptedClient.Step] {
        try await client.perform(step)
      }
      registered.append(client)
    }
    return registered
  }

  private static func authenticate(_ client: ScriptedClient, until end: ContinuousClock.Instant) async throws -> Int {
    var (client, count) = (client, 0)
    repeat {
      try await client.perform(.requestAuthentication)
      try await client.perform(.authenticate)
      count += 1
    } while ContinuousClock.now < end
    return count
  }
}
