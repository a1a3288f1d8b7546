import AccessMessages
import Foundation
@testable import AccessServer
import ScriptedClient
import TestSupport
import Testing

/// A serialisable transaction locks the page of an index that it has read. How often transactions are repeated therefore
/// depends on the size of the tables.
@Suite("Conflicts of authentications at two servers on PostgreSQL", .blocks, .timeLimit(.minutes(20)))
struct ConflictTests {
  private static let clients = 32
  private static let rounds = 4

  private let database: PostgreSQLDatabase
  private let scratch: Scratch
  private let relay: DatabaseRelay

  init() throws {
    database = try PostgreSQLDatabase()
    scratch = try Scratch()
    relay = try DatabaseRelay(to: database.server.directory, in: scratch.directory.path, delay: 2_000)
  }

  private func service(_ repetitions: RunCount) async throws -> AccessService {
    var observation = StoreObservation()
    observation.repeated = { _ = repetitions.next() }
    let url = database.url.replacing(database.server.directory, with: relay.directory)
    return try await AccessService(
      store: try PostgreSQLAccessStore(url: url, observation: observation),
      configuration: ServerConfiguration(facets: .any, openRegistration: true), url: ServerURL("https://server.test"),
      operatorToken: "operator")
  }

  /// How many transactions are repeated while clients authenticate, as many at each of two servers.
  private func repetitions(devices: Int) async throws -> Int {
    let repetitions = RunCount()
    let services = [try await service(repetitions), try await service(repetitions)]
    try database.sql(DevicePopulation.postgreSQL(devices) + DevicePopulation.traces(of: devices) + "; ANALYZE")
    var clients: [ScriptedClient] = []
    for number in 0..<Self.clients {
      var client = try ScriptedClient(
        ServiceExchange(service: services[number % 2]), base: "",
        account: "holder \(number * devices / Self.clients) \(number)", operatorToken: "operator")
      for step in [.addUser, .requestRegistration, .register] as [ScriptedClient.Step] {
        try await client.perform(step)
      }
      clients.append(client)
    }
    let before = repetitions.value
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in clients {
        group.addTask {
          var client = client
          for _ in 0..<Self.rounds {
            try await client.perform(.requestAuthentication)
            try await client.perform(.authenticate)
          }
        }
      }
      try await group.waitForAll()
    }
    return repetitions.value - before
  }

  @Test func `few transactions are repeated in a database that is in use`() async throws {
    let count = try await repetitions(devices: 20_000)
    #expect(count <= Self.clients * Self.rounds * 2 / 20, "\(count)")
  }
}
