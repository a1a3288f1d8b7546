import AccessMessages
import AccessServer
import ArgumentParser
import Fixtures
import Foundation
import ScriptedClient
import ServerStore
import Synchronization

/// Every operation of a server on a database file, in a process of its own. `KilledStoreTests` kills it before a statement.
@main
struct AccessExercise: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access-exercise", abstract: "Go through every operation of a server, for the test that kills it.")

  @Option(help: "The database file.")
  var database: String
  @Option(help: "The account.")
  var account: String
  @Option(help: "The number of the statement before which the process is killed; from 1, 0 for none.")
  var killAt = 0
  @Flag(help: "Only open the database and print its state.")
  var onlyOpen = false

  /// The token of the operator in this process.
  private static let operatorToken = "the operator of the exercise"

  func run() async throws {
    let statements = Atomic(0)
    let store = try SQLiteAccessStore(path: database) { [killAt] in
      if statements.add(1, ordering: .relaxed).newValue == killAt { kill(getpid(), SIGKILL) }
    }
    try Self.report("open", try DatabaseDigest(path: database))
    guard !onlyOpen else { return }
    let step = Mutex("start")
    var configuration = ServerConfiguration(facets: .any, openRegistration: false)
    configuration.issuer.cards = [
      try CardTemplate(
        json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")), prefix: configuration.issuer.accountPrefix)
    ]
    let service = try await AccessService(
      store: ReportingStore(base: store) {
        try Self.report(step.withLock { $0 }, try DatabaseDigest(path: database))
      }, configuration: configuration, url: ServerURL("https://server.test"), operatorToken: Self.operatorToken,
      hashing: SecretHashing(.minimal))
    var client = try ScriptedClient(
      ServiceExchange(service: service), base: "", account: account, operatorToken: Self.operatorToken)
    for next in ScriptedClient.Step.allCases {
      step.withLock { $0 = next.rawValue }
      try await client.perform(next)
    }
    print("statements", statements.load(ordering: .relaxed))
  }

  /// Writes a line at once: a process that is killed must not keep one.
  private static func report(_ step: String, _ digest: DatabaseDigest) throws {
    try FileHandle.standardOutput.write(contentsOf: Data("\(step)\t\(digest.text)\n".utf8))
  }
}

/// A store that reports each transaction after its commit. A request that hashes a secret has two transactions: one that
/// finds the hash, and one that acts on the comparison.
private struct ReportingStore: AccessStore {
  let base: SQLiteAccessStore
  let report: @Sendable () throws -> Void

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value { try await base.read(body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    let value = try await base.write(body)
    do { try report() } catch {
      throw .store(AccessStoreError(.unavailable, "the state cannot be reported: \(error)"))
    }
    return value
  }
}
