import AccessMessages
import AccessServer
import CFlushControl
import Documents
import FIDOUAF
import Foundation
import JSON
import ServerShell
import ServerStore

/// Measures how many requests a second a server answers over TLS, with the clients on the same processors:
/// `access --clients 1,16,64 [--seconds S]`. Beside it, in the same run: bare flushes, signature checks, HTTP without a store,
/// the store without flushes, one write a transaction, the server without the checks of the process, and both with a flush that
/// takes 5 ms or more.
struct LoadBenchmark {
  /// A server whose requests are counted.
  private struct Case {
    let name: String
    let flush: flush_kind
    /// The most writes of a transaction; nil: the server has no store.
    let sharedWrites: Int?
    var isGuarded = true
  }

  private static let cases = [
    Case(name: "HTTP without a store", flush: flush_real, sharedWrites: nil),
    Case(name: "without flushes", flush: flush_nothing, sharedWrites: SQLiteAccessStore.sharedWrites),
    Case(name: "with flushes", flush: flush_real, sharedWrites: SQLiteAccessStore.sharedWrites),
    Case(
      name: "with flushes, not guarded", flush: flush_real, sharedWrites: SQLiteAccessStore.sharedWrites,
      isGuarded: false),
    Case(name: "one write a flush", flush: flush_real, sharedWrites: 1),
    Case(name: "slow flushes", flush: flush_slow, sharedWrites: SQLiteAccessStore.sharedWrites),
    Case(name: "slow, one write a flush", flush: flush_slow, sharedWrites: 1),
  ]

  let clients: [Int]
  let time: Duration

  /// Reads the arguments; nil without `--clients`.
  init?(_ arguments: [String]) {
    guard let clients = Self.value("--clients", arguments) else { return nil }
    self.clients = clients.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 1 }
    time = .seconds(Self.value("--seconds", arguments).flatMap { Int($0) } ?? 4)
  }

  static func value(_ name: String, _ arguments: [String]) -> String? {
    arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first }
  }

  func run() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let transaction = try BareCost.transaction(.sqlite, in: directory, rounds: 500)
    print("a bare transaction with its flush: \(Int(1e6 / transaction)) a second")
    print("a bare flush of 4 KiB: \(try Self.flushes(in: directory, slow: false)) a second")
    print("a bare flush that is slowed down: \(try Self.flushes(in: directory, slow: true)) a second")
    print("a bare signature check: \(Int(1e6 / (try BareCost.check(rounds: 500)))) a second on one processor")
    print("\(Self.padded("requests for a registration", 30)) clients   per second   processor us   requests a flush")
    var results: [String: Double] = [:]
    for count in clients {
      for one in Self.cases {
        let (result, flushes) = try await measure(one, clients: count, in: directory)
        results["\(one.name) \(count)"] = result.perSecond
        let shared = one.sharedWrites == nil ? "" : String(format: "%.1f", Double(result.requests) / Double(flushes))
        let numbers = String(format: "%7d %12.0f %14.0f ", count, result.perSecond, result.processorMicroseconds)
        print(Self.padded(one.name, 30), numbers, String(repeating: " ", count: max(17 - shared.count, 0)) + shared)
      }
    }
    for count in clients { Self.printRatios(results, clients: count) }
  }

  private func measure(_ one: Case, clients: Int, in directory: URL) async throws -> (Load.Result, UInt64) {
    let folder = directory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    flush_set_kind(Int32(one.flush.rawValue))
    defer { flush_set_kind(Int32(flush_real.rawValue)) }
    let observation = try LoadedServer.observation()
    let server = try await LoadedServer(
      try await Self.responder(one, observation.metrics.storeObservation, in: folder), in: directory, observation,
      isGuarded: one.isGuarded)
    let load = try Load(server, clients: clients)
    _ = try await load.run(for: .seconds(1))
    let before = flush_count()
    let result = try await load.run(for: time)
    let flushes = flush_count() - before
    try await server.stop()
    return (result, max(flushes, 1))
  }

  private static func responder(
    _ one: Case, _ observation: StoreObservation, in folder: URL
  ) async throws -> any AccessResponding {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    configuration.failureLimits.challengesPerAddress = 1_000_000
    configuration.failureLimits.operationsPerAddress = 1_000_000
    configuration.connections.perAddress = 1_000
    let store =
      try one.sharedWrites.map { limit in
        try SQLiteAccessStore(
          path: folder.appending(path: "access.sqlite").path, sharedWrites: limit,
          observation: observation)
      } ?? SQLiteAccessStore()
    let service = try await AccessService(
      store: store, configuration: configuration, url: ServerURL("https://server.test"), operatorToken: nil)
    guard one.sharedWrites == nil else { return service }
    let context = RequestContext(userName: "user").json.compact
    let request = AccessRequest(
      "POST", AccessPath.registrationRequest, headers: [(name: "content-type", value: MediaType.uaf)],
      body: Array(GetUAFRequest(.registration, context: context).json.compact.utf8), address: "127.0.0.1")
    return FixedResponder(response: await service.respond(to: request))
  }

  private static func flushes(in directory: URL, slow: Bool) throws -> Int {
    let path = directory.appending(path: "flushed").path
    let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    defer { close(file) }
    flush_set_kind(Int32((slow ? flush_slow : flush_real).rawValue))
    defer { flush_set_kind(Int32(flush_real.rawValue)) }
    let (page, count) = ([UInt8](repeating: 0x5A, count: 4_096), slow ? 100 : 1_000)
    let time = ContinuousClock().measure {
      for _ in 0..<count {
        precondition(write(file, page, page.count) == page.count)
        fdatasync(file)
      }
    }
    return Int(Double(count) / (Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18))
  }

  private static func printRatios(_ results: [String: Double], clients: Int) {
    let ratios = [
      ("without flushes", "HTTP without a store", "at least 0.33 with 64 clients"),
      ("with flushes", "without flushes", "at least 0.60 with 64 clients"),
      ("with flushes", "one write a flush", "at least 0.95 with one client"),
      ("with flushes", "with flushes, not guarded", "the checks of the process cost the rest"),
      ("slow flushes", "slow, one write a flush", "at least 8 with 64 clients"),
    ]
    for (name, other, goal) in ratios {
      guard let found = results["\(name) \(clients)"], let base = results["\(other) \(clients)"] else { continue }
      let ratio = String(format: "%.2f", found / base)
      print("\(clients) clients: \(padded("\(name) / \(other)", 50)) \(ratio)   (\(goal))")
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
  }
}
