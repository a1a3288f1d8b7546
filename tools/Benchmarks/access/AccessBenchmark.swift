import AccessMessages
import AccessServer
import Foundation
import Octets
import ScriptedClient
import ServerStore

/// Measures what the operations of a client cost the server, beside the bare cost of their signature checks, hashes and
/// transactions in the same run, with few and with many registered devices: `access [URL] [ROUNDS [DEVICES ...]]`. The URL is
/// that of a PostgreSQL database whose content is deleted, such as `postgresql:///bench?host=/run/postgresql`.
///
/// The server runs in this process, on a SQLite file unless there is a URL, and without TLS: TLS and HTTP cost the same for
/// every server. `access --clients 1,16,64` measures many clients at a time over TLS instead (`LoadBenchmark`), `access
/// --servers` one server and two on one database (`ServersBenchmark`).
@main
struct AccessBenchmark {
  private static let operatorToken = "the operator of the benchmark"
  private static let card = URL(filePath: #filePath).appending(path: "../../../../Fixtures/Cards/visa-cvn18.json")

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    if let servers = ServersBenchmark(Array(arguments)) { return try await servers.run() }
    if let load = LoadBenchmark(Array(arguments)) { return try await load.run() }
    let database: Database
    if let url = arguments.first, url.hasPrefix("postgresql:") {
      database = .postgreSQL(url: url)
      arguments.removeFirst()
    } else {
      database = .sqlite
    }
    let rounds = max(arguments.first.flatMap { Int($0) } ?? 100, 1)
    let populations = arguments.dropFirst().compactMap { Int($0) }
    print(database.name)
    print("operation                devices   per second   p50 us   p99 us   bare us   ratio")
    for devices in populations.isEmpty ? [1_000, 1_000_000] : populations {
      try await measure(database, devices: devices, rounds: rounds)
    }
  }

  private static func measure(_ database: Database, devices: Int, rounds: Int) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = CountingStore(base: try database.store(devices: devices, in: directory))
    let exchange = TimingExchange(service: try await service(on: store), transactions: store.transactions)
    for round in 0..<rounds {
      var client = try ScriptedClient(exchange, base: "", account: "user \(round)", operatorToken: operatorToken)
      for operation in Operation.all {
        exchange.begin()
        for step in operation.steps { try await client.perform(step) }
        if !operation.name.isEmpty { exchange.end(operation.name) }
      }
    }
    let bare = try BareCost(database, in: directory, rounds: rounds)
    for operation in Operation.all where !operation.name.isEmpty {
      let result = exchange.result(operation.name)
      let floor = bare.microseconds(of: operation, transactions: result.transactions)
      print(line(result, devices: devices, floor: floor))
    }
  }

  private static func service(on store: CountingStore) async throws -> AccessService {
    var configuration = ServerConfiguration(facets: .any, openRegistration: false)
    configuration.failureLimits.perAddress = .max
    configuration.issuer.cards = [
      try CardTemplate(
        json: [UInt8](Data(contentsOf: card.standardized)), prefix: configuration.issuer.accountPrefix)
    ]
    return try await AccessService(
      store: store, configuration: configuration, url: ServerURL("https://server.test"), operatorToken: operatorToken)
  }

  private static func line(_ result: TimingExchange.Result, devices: Int, floor: Double) -> String {
    let (median, late) = (result.percentile(50), result.percentile(99))
    let numbers = [
      String(format: "%10d", devices), String(format: "%12.0f", 1e6 / result.mean), String(format: "%8.0f", median),
      String(format: "%8.0f", late), String(format: "%9.0f", floor), String(format: "%7.2f", median / floor),
    ]
    return result.name.padding(toLength: 22, withPad: " ", startingAt: 0) + numbers.joined(separator: " ")
  }
}
