import AccessMessages
import AccessServer
import FIDOUAF
import Foundation
import HTTPSTransport
import ScriptedClient
import ServerShell
import ServerStore
import Synchronization

/// Measures how many logins by PIN and how many authentications a second one server and two servers answer on one PostgreSQL
/// database that is 2 ms away: `access --servers DIRECTORY DATABASE [--clients N] [--seconds S] [--devices N,N...]`, with the
/// directory of the database's socket and a database whose content is deleted. The servers listen with TLS in this process.
///
/// All servers, the clients and the database share the processors of one machine. A server compares PINs on half of its
/// processors, so a second server has processors left for logins. Authentications leave none: two servers can only be as fast
/// as one, and the number of repeated transactions tells whether the database would let more machines be faster.
///
/// The database is measured empty and with the records of 100 000 devices. A serialisable transaction of PostgreSQL that reads
/// an index locks a whole page of it, so conflicts may depend on the size of the tables.
struct ServersBenchmark {
  /// What the clients do.
  private struct Exercise {
    let name: String
    let preparation: [ScriptedClient.Step]
    let steps: [ScriptedClient.Step]
    /// What two servers are to reach, in times of one.
    let goal: String
  }

  private static let exercises = [
    Exercise(
      name: "logins by PIN", preparation: [.enrolWallet, .linkDevice], steps: [.logInByPin], goal: " (at least 1.6)"),
    Exercise(
      name: "authentications", preparation: [.addUser, .requestRegistration, .register, .addDevice],
      steps: [.requestAuthentication, .authenticate], goal: ""),
  ]

  /// By how much a round trip to the database takes longer, in microseconds.
  private static let delay: UInt32 = 2_000
  private static let operatorToken = "the operator of the benchmark"

  /// What one run measured.
  private struct Result {
    let perSecond: Double
    /// The round trips to the database, and the repeated transactions, of one operation.
    let roundTrips, repetitions: Double
    /// How many processors of the machine worked, those of the clients and of the database included.
    let processors: Double

    var text: String {
      String(format: "%.0f (%.1f round trips, %.2f repeated, ", perSecond, roundTrips, repetitions)
        + String(format: "%.1f processors)", processors)
    }
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
    clients = LoadBenchmark.value("--clients", arguments).flatMap { Int($0) } ?? 24
    time = .seconds(LoadBenchmark.value("--seconds", arguments).flatMap { Int($0) } ?? 4)
    let devices = LoadBenchmark.value("--devices", arguments) ?? "0,100000"
    populations = devices.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 0 }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "servers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try DatabaseRelay(to: directory, in: folder.path, delay: Self.delay)
    print("\(clients) clients, a database \(Self.delay / 1_000) ms away, operations a second")
    for devices in populations {
      try Database.fill(url: url(directory), devices: devices)
      for exercise in Self.exercises {
        let one = try await measure(exercise, servers: 1, devices, relay, in: folder)
        let two = try await measure(exercise, servers: 2, devices, relay, in: folder)
        print("\(devices) devices, \(exercise.name): one server \(one.text), two servers \(two.text),", terminator: " ")
        print(String(format: "ratio %.2f", two.perSecond / one.perSecond) + exercise.goal)
      }
    }
  }

  private func url(_ directory: String) -> String { "postgresql:///\(database)?host=\(directory)" }

  private func measure(
    _ exercise: Exercise, servers count: Int, _ devices: Int, _ relay: DatabaseRelay, in folder: URL
  ) async throws -> Result {
    let repetitions = Repetitions()
    var servers: [LoadedServer] = []
    for _ in 0..<count { servers.append(try await server(relay, repetitions, in: folder)) }
    let prepared = try await clients(of: servers, among: devices, exercise.preparation)
    let before = (trips: relay.roundTrips, repetitions: repetitions.count.load(ordering: .relaxed))
    let (begun, busy) = (ContinuousClock.now, try ProcessorTime.ofMachine())
    let end = begun + time
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in prepared { group.addTask { try await Self.perform(exercise.steps, client, until: end) } }
      return try await group.reduce(0, +)
    }
    let elapsed = (ContinuousClock.now - begun) / .seconds(1)
    let processors = (try ProcessorTime.ofMachine() - busy) / elapsed
    let (trips, repeated) = (relay.roundTrips, repetitions.count.load(ordering: .relaxed))
    for server in servers { try await server.stop() }
    return Result(
      perSecond: Double(total) / elapsed, roundTrips: Double(trips - before.trips) / Double(total),
      repetitions: Double(repeated - before.repetitions) / Double(total), processors: processors)
  }

  private func server(
    _ relay: DatabaseRelay, _ repetitions: Repetitions, in folder: URL
  ) async throws -> LoadedServer {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    configuration.failureLimits.perAddress = .max
    configuration.failureLimits.challengesPerAddress = 10_000_000
    configuration.failureLimits.operationsPerAddress = 10_000_000
    configuration.connections.perAddress = 1_000
    let reports = try LoadedServer.observation()
    var observation = reports.metrics.storeObservation
    observation.repeated = { repetitions.count.add(1, ordering: .relaxed) }
    let service = try await AccessService(
      store: try PostgreSQLAccessStore(url: url(relay.directory), observation: observation),
      configuration: configuration, url: ServerURL("https://server.test"), operatorToken: Self.operatorToken)
    return try await LoadedServer(service, in: folder, reports)
  }

  /// Prepared clients with an open connection, as many at each server. Their names are spread over those of the devices that
  /// are there.
  private func clients(
    of servers: [LoadedServer], among devices: Int, _ preparation: [ScriptedClient.Step]
  ) async throws -> [ScriptedClient] {
    var prepared: [ScriptedClient] = []
    for number in 0..<clients {
      let server = servers[number % servers.count]
      let transport = try HTTPSTransport(trust: .authorities(file: server.authority))
      let account = "holder \(number * devices / clients) \(servers.count) \(number)"
      var client = try ScriptedClient(
        transport, base: server.url, account: account, operatorToken: Self.operatorToken)
      for step in preparation { try await client.perform(step) }
      prepared.append(client)
    }
    return prepared
  }

  private static func perform(
    _ steps: [ScriptedClient.Step], _ client: ScriptedClient, until end: ContinuousClock.Instant
  ) async throws -> Int {
    var (client, count) = (client, 0)
    repeat {
      for step in steps { try await client.perform(step) }
      count += 1
    } while ContinuousClock.now < end
    return count
  }
}
