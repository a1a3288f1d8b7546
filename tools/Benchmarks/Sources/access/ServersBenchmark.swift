import AccessMessages
import AccessServer
import FIDOUAF
import Foundation
import HTTPSTransport
import ScriptedClient
import Synchronization

/// Measures how many authentications a second one server and two servers answer on one PostgreSQL database that is 2 ms
/// away: `access --servers DIRECTORY DATABASE [--clients N] [--seconds S] [--devices N,N...]`, with the directory of the
/// database's socket and a database whose content is deleted. The servers listen with TLS in this process.
///
/// The database is measured empty and with the records of 100 000 devices. A serialisable transaction of PostgreSQL that reads
/// an index locks a whole page of it, so conflicts may depend on the size of the tables.
struct ServersBenchmark {
  /// By how much a round trip to the database takes longer, in microseconds.
  private static let delay: UInt32 = 2_000
  private static let operatorToken = "the operator of the benchmark"

  /// What one run measured.
  private struct Result {
    let perSecond: Double
    /// The round trips to the database, and the repeated transactions, of one authentication.
    let roundTrips, repetitions: Double

    var text: String { String(format: "%.0f (%.1f round trips, %.2f repeated)", perSecond, roundTrips, repetitions) }
  }

  private final class Repetitions: Sendable {
    let count = Atomic(0)
  }

  let directory: String
  let database: String
  let clients: Int
  let time: Duration
  let populations: [Int]

  /// Reads the arguments; nil without `--servers`.
  init?(_ arguments: [String]) {
    guard let place = arguments.firstIndex(of: "--servers"), arguments.count > place + 2 else { return nil }
    (directory, database) = (arguments[place + 1], arguments[place + 2])
    clients = LoadBenchmark.value("--clients", arguments).flatMap { Int($0) } ?? 64
    time = .seconds(LoadBenchmark.value("--seconds", arguments).flatMap { Int($0) } ?? 4)
    let devices = LoadBenchmark.value("--devices", arguments) ?? "0,100000"
    populations = devices.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 0 }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "servers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try DatabaseRelay(to: directory, in: folder.path, delay: Self.delay)
    print("\(clients) clients, a database \(Self.delay / 1_000) ms away, authentications a second")
    for devices in populations {
      try Database.fill(url: url(directory), devices: devices)
      let one = try await measure(servers: 1, devices, relay, in: folder)
      let two = try await measure(servers: 2, devices, relay, in: folder)
      print("\(devices) devices: one server \(one.text), two servers \(two.text),", terminator: " ")
      print(String(format: "ratio %.2f (at least 1.6)", two.perSecond / one.perSecond))
    }
  }

  private func url(_ directory: String) -> String { "postgresql:///\(database)?host=\(directory)" }

  private func measure(
    servers count: Int, _ devices: Int, _ relay: DatabaseRelay, in folder: URL
  ) async throws -> Result {
    let repetitions = Repetitions()
    var servers: [LoadedServer] = []
    for _ in 0..<count { servers.append(try await server(relay, repetitions, in: folder)) }
    let registered = try await clients(of: servers, among: devices)
    let before = (trips: relay.roundTrips, repetitions: repetitions.count.load(ordering: .relaxed))
    let begun = ContinuousClock.now
    let end = begun + time
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in registered { group.addTask { try await Self.authenticate(client, until: end) } }
      return try await group.reduce(0, +)
    }
    let elapsed = (ContinuousClock.now - begun).components
    let (trips, repeated) = (relay.roundTrips, repetitions.count.load(ordering: .relaxed))
    for server in servers { try await server.stop() }
    return Result(
      perSecond: Double(total) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18),
      roundTrips: Double(trips - before.trips) / Double(total),
      repetitions: Double(repeated - before.repetitions) / Double(total))
  }

  private func server(
    _ relay: DatabaseRelay, _ repetitions: Repetitions, in folder: URL
  ) async throws -> LoadedServer {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    configuration.failureLimits.perAddress = .max
    configuration.failureLimits.challengesPerAddress = 10_000_000
    configuration.failureLimits.operationsPerAddress = 10_000_000
    configuration.connections.perAddress = 1_000
    var observation = StoreObservation()
    observation.repeated = { repetitions.count.add(1, ordering: .relaxed) }
    let service = try await AccessService(
      store: try PostgreSQLAccessStore(url: url(relay.directory), observation: observation),
      configuration: configuration, url: ServerURL("https://server.test"), operatorToken: Self.operatorToken)
    return try await LoadedServer(service, in: folder)
  }

  /// Clients with a credential and an open connection, as many at each server. Their names are spread over those of the
  /// devices that are there.
  private func clients(of servers: [LoadedServer], among devices: Int) async throws -> [ScriptedClient] {
    var registered: [ScriptedClient] = []
    for number in 0..<clients {
      let server = servers[number % servers.count]
      let transport = try HTTPSTransport(trust: .authorities(file: server.authority))
      let account = "holder \(number * devices / clients) \(servers.count) \(number)"
      var client = try ScriptedClient(
        transport, base: server.url, account: account, operatorToken: Self.operatorToken)
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
