import ScriptedClient
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@Suite("Two servers whose PostgreSQL database fails over to a standby", .blocks, .timeLimit(.minutes(20)))
struct ServerFailoverTests {
  private static let steps: [ScriptedClient.Step] = [
    .addUser, .requestRegistration, .register, .requestAuthentication, .authenticate,
  ]
  /// The events of the steps that redeem a challenge.
  private static let events: [ScriptedClient.Step: String] = [
    .register: "registration", .authenticate: "authentication",
  ]
  private static let configuration =
    #"{"failures": {"challengesPerAddress": 1000000, "operationsPerAddress": 1000000}}"#

  private final class Progress: Sendable {
    let redeemed = Atomic(0)
    /// The answers 503.
    let unanswered = Atomic(0)
    let isEnding = Atomic(false)

    /// Waits for further redemptions.
    func advance(by count: Int) async throws {
      let start = redeemed.load(ordering: .relaxed)
      try await wait { redeemed.load(ordering: .relaxed) >= start + count }
    }

    /// Waits for something that the workers do, or for their end.
    func wait(until isReached: () -> Bool) async throws {
      while !isReached(), !isEnding.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  /// Registers and authenticates one account after the other, at both servers in turn. Returns what the trail must have: each
  /// account and event once.
  private static func load(_ servers: ServerPair, _ worker: Int, _ progress: Progress) async throws -> [String] {
    var (redemptions, number): ([String], Int) = ([], 0)
    accounts: while !progress.isEnding.load(ordering: .relaxed) {
      number += 1
      let account = "account \(worker)-\(number)"
      var client = try servers.client(account)
      for (place, step) in steps.enumerated() {
        client = try servers.move(client, to: place.isMultiple(of: 2) ? .first : .second)
        let isAnswered = try await isAnswered(step, &client)
        if !isAnswered { progress.unanswered.add(1, ordering: .relaxed) }
        guard let event = events[step] else {
          if isAnswered { continue } else { continue accounts }
        }
        if !isAnswered { try await repeatUntilAnswered(client) }
        redemptions.append("\(account)|\(event)|1")
        progress.redeemed.add(1, ordering: .relaxed)
        if !isAnswered { continue accounts }
      }
    }
    return redemptions
  }

  /// Makes a step. Returns false when the answer is 503.
  private static func isAnswered(_ step: ScriptedClient.Step, _ client: inout ScriptedClient) async throws -> Bool {
    do {
      try await client.perform(step)
      return true
    } catch let failure as ScriptedClient.Failure {
      try #require(failure.description.contains("HTTP 503"), "\(failure)")
      try await Task.sleep(for: .milliseconds(50))
      return false
    }
  }

  /// Sends a response again until the server accepts it, or refuses it because it has had its effect.
  private static func repeatUntilAnswered(_ client: ScriptedClient) async throws {
    while true {
      let answer = try await client.repeatLastRequest()
      if answer.http == 503 {
        try await Task.sleep(for: .milliseconds(50))
        continue
      }
      try #require(answer == (200, 1_200) || answer == (200, 1_491), "\(answer)")
      return
    }
  }

  @Test func `no redemption that a server acknowledged is lost in a failover, and none has its effect twice`()
    async throws
  {
    let primary = try PostgreSQLServer()
    let database = try primary.newDatabase().name
    let standby = try PostgreSQLServer(standbyOf: primary)
    try primary.waitForStandby()
    let servers = try ServerPair(
      database:
        "postgresql://tester@/\(database)?host=\(primary.directory),\(standby.directory)&target_session_attrs=read-write",
      configuration: Self.configuration)
    let progress = Progress()
    let redemptions = try await withThrowingTaskGroup(of: [String].self) { group in
      for worker in 1...8 {
        group.addTask {
          defer { progress.isEnding.store(true, ordering: .relaxed) }
          return try await Self.load(servers, worker, progress)
        }
      }
      try await progress.advance(by: 40)
      try primary.kill()
      try await progress.wait { progress.unanswered.load(ordering: .relaxed) > 0 }
      try standby.sql("SELECT pg_promote()")
      try await progress.advance(by: 40)
      progress.isEnding.store(true, ordering: .relaxed)
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(progress.unanswered.load(ordering: .relaxed) > 0 && redemptions.count >= 80)
    let trail = "result = '1200' AND event IN ('registration', 'authentication') GROUP BY account, event"
    let stored = try standby.sql("SELECT account, event, count(*) FROM audit WHERE \(trail)", in: database)
    #expect(stored.split(separator: "\n").map(String.init).sorted() == redemptions.sorted())
    let registrations = redemptions.count { $0.contains("registration") }
    let keys = try standby.sql("SELECT count(*), count(DISTINCT account) FROM credential", in: database)
    #expect(keys == "\(registrations)|\(registrations)")
  }
}
