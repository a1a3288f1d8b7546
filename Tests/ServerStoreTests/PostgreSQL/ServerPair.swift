import AccessMessages
import Fixtures
import Foundation
import HTTPSTransport
import JOSE
import JSON
import Octets
import ScriptedClient
import Synchronization
import TestSupport
import Testing

/// Two `tap-server` on one database, each with a certificate of its own.
final class ServerPair: Sendable {
  /// One of the two.
  enum Side: Int, CaseIterable, Sendable {
    case first, second

    var other: Side { self == .first ? .second : .first }
  }

  /// How a step that both servers were asked to make has ended.
  struct Race {
    var winners: [ScriptedClient] = []
    /// The refusals.
    var refusals: [String] = []
    /// How many requests got no response.
    var lost = 0
  }

  let operatorToken: String
  private let scratch: Scratch
  private let arguments: [String]
  private let runs = Mutex<[Side: ProgramRun]>([:])
  private let addresses = Mutex<[Side: String]>([:])
  private let transports = Mutex<[Side: SearchedExchange]>([:])

  /// Starts both servers at the same time.
  ///
  /// - Parameters:
  ///   - database: The URL of a database, which need not have tables.
  ///   - configuration: JSON for the option `--configuration`; nil for an issuer with one card profile.
  init(database: String, configuration: String? = nil) throws {
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let configuration = configuration ?? "{\"cards\": [\(card)]}"
    scratch = try Scratch()
    operatorToken = SystemRandomSource().octets(32).base64URL
    LogSearch.all.use(operatorToken)
    let token = try scratch.write("operator.token", operatorToken + "\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    arguments = [
      "serve", "--database", database, "--operator", token, "--configuration",
      try scratch.write("configuration.json", configuration),
    ]
    for side in Side.allCases { try launch(side, port: "0") }
    for side in Side.allCases { try awaitStart(of: side) }
  }

  private func launch(_ side: Side, port: String) throws {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "tap-server").path
    let run = try ProgramRun(
      program, arguments + ["--listen", "127.0.0.1:\(port)", "--self-signed", scratch.path("identity-\(side)")])
    runs.withLock { $0[side] = run }
  }

  private func awaitStart(of side: Side) throws {
    let run = try #require(runs.withLock { $0[side] })
    try #require(run.wait(timeout: .seconds(120)) { $0.output.contains("\n") }, "\(run.errors)")
    let ready = try JSONValue(parsing: Array(run.output.utf8))
    let (url, authority) = (try #require(ready["url"]?.text), try #require(ready["ca"]?.text))
    let transport = SearchedExchange(base: try HTTPSTransport(trust: .authorities(file: authority)))
    addresses.withLock { $0[side] = url }
    transports.withLock { $0[side] = transport }
  }

  /// Kills a server.
  func kill(_ side: Side) throws {
    let run = try #require(runs.withLock { $0[side] })
    run.signal(SIGKILL)
    #expect(try run.finish() == .killed(signal: SIGKILL))
    LogSearch.all.read(errorsOf: run.errors)
  }

  // Their logs are searched for the secrets of all tests.
  deinit { for run in runs.withLock({ $0.values }) { LogSearch.all.read(errorsOf: run.errors) } }

  /// Starts a server again, at the same address.
  func restart(_ side: Side) throws {
    let port = try #require(url(side).split(separator: ":").last)
    try launch(side, port: String(port))
    try awaitStart(of: side)
  }

  func url(_ side: Side) -> String { addresses.withLock { $0[side] ?? "" } }

  func transport(_ side: Side) throws -> SearchedExchange { try #require(transports.withLock { $0[side] }) }

  /// A client of an account.
  func client(_ account: String) throws -> ScriptedClient {
    try ScriptedClient(transport(.first), base: url(.first), account: account, operatorToken: operatorToken)
  }

  /// The same client at a server.
  func move(_ client: ScriptedClient, to side: Side) throws -> ScriptedClient {
    var moved = client
    (moved.exchange, moved.base) = (try transport(side), url(side))
    return moved
  }

  /// Lets both servers make the same step at the same time.
  func race(_ step: ScriptedClient.Step, _ client: ScriptedClient) async throws -> Race {
    try await race(client) { client in try await client.perform(step) }
  }

  /// Sends the same request to both servers at the same time.
  func race(
    _ client: ScriptedClient, _ request: @escaping @Sendable (inout ScriptedClient) async throws -> Void
  ) async throws -> Race {
    try await withThrowingTaskGroup(of: Result<ScriptedClient, any Error>.self) { group in
      for side in Side.allCases {
        let moved = try move(client, to: side)
        group.addTask {
          var client = moved
          do {
            try await request(&client)
            return .success(client)
          } catch {
            return .failure(error)
          }
        }
      }
      return try await group.reduce(into: Race()) { race, result in
        switch result {
        case .success(let client): race.winners.append(client)
        case .failure(let error as ScriptedClient.Failure): race.refusals.append(error.description)
        case .failure: race.lost += 1
        }
      }
    }
  }
}
