import ScriptedClient
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@Suite(
  "Two servers on one PostgreSQL database: one is killed, or the database stops", .blocks, .timeLimit(.minutes(20)))
struct KilledServerTests {
  /// What the clients have seen so far.
  private final class Progress: Sendable {
    struct Seen {
      /// The registrations and authentications that a server confirmed.
      var successes = 0
      /// Those for which the killed server gave no response and the other one refused.
      var unknown = 0
      var isEnding = false
    }

    let seen = Mutex(Seen())

    /// Waits for further successes.
    func advance(by count: Int) async throws {
      let start = seen.withLock { $0.successes }
      while seen.withLock({ $0.successes < start + count && !$0.isEnding }) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    func end() { seen.withLock { $0.isEnding = true } }
  }

  private static let steps: [ScriptedClient.Step] = [
    .addUser, .requestRegistration, .register, .requestAuthentication, .authenticate,
  ]

  /// Registers and authenticates one account after the other. Only the second server may be killed: it is asked at the same
  /// time as the first one, which is asked for all else.
  private static func load(_ servers: ServerPair, _ worker: Int, _ progress: Progress) async throws {
    var number = 0
    accounts: while !progress.seen.withLock({ $0.isEnding }) {
      number += 1
      var client = try servers.client("account \(worker)-\(number)")
      for step in steps {
        guard TwoServersTests.singleUse.contains(step) else {
          client = try servers.move(client, to: .first)
          try await client.perform(step)
          continue
        }
        let race = try await servers.race(step, client)
        #expect(race.winners.count <= 1 && race.winners.count + race.lost >= 1, "\(race.refusals)")
        #expect(!race.refusals.contains { $0.contains("HTTP 503") }, "\(race.refusals)")
        guard let winner = race.winners.first else {
          progress.seen.withLock { $0.unknown += 1 }
          continue accounts
        }
        progress.seen.withLock { $0.successes += 1 }
        client = winner
      }
    }
  }

  @Test func `a server that is killed at any moment loses no count, and the other goes on`() async throws {
    let database = try PostgreSQLDatabase()
    let servers = try ServerPair(database: database.url)
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 1...4 {
        group.addTask {
          defer { progress.end() }
          try await Self.load(servers, worker, progress)
        }
      }
      group.addTask {
        defer { progress.end() }
        for _ in 1...3 {
          try await progress.advance(by: 8)
          try servers.kill(.second)
          try await progress.advance(by: 8)
          try servers.restart(.second)
        }
        try await progress.advance(by: 8)
      }
      try await group.waitForAll()
    }
    let (successes, unknown) = progress.seen.withLock { ($0.successes, $0.unknown) }
    #expect(successes >= 50)
    let succeeded = "result = '1200' AND event IN ('registration', 'authentication')"
    let counted = try Int(database.sql("SELECT count(*) FROM audit WHERE \(succeeded)")) ?? 0
    #expect(
      (successes...successes + unknown).contains(counted), "\(successes) + \(unknown), in the database \(counted)")
    for event in ["registration", "authentication"] {
      let repeated =
        "SELECT account FROM audit WHERE event = '\(event)' AND \(succeeded) GROUP BY account HAVING count(*) > 1"
      #expect(try database.sql(repeated) == "")
    }
    #expect(try database.sql("SELECT account FROM credential GROUP BY account HAVING count(*) > 1") == "")
  }

  @Test func `servers refuse while their database is stopped, and go on after its start`() async throws {
    let database = try PostgreSQLDatabase(on: PostgreSQLServer())
    let servers = try ServerPair(database: database.url)
    var client = try servers.client("alice")
    for step in [.addUser, .requestRegistration] as [ScriptedClient.Step] { try await client.perform(step) }
    try database.server.stop()
    let stopped = try await servers.race(.register, client)
    #expect(stopped.winners.isEmpty && stopped.refusals.count == 2)
    #expect(stopped.refusals.allSatisfy { $0.contains("HTTP 503") }, "\(stopped.refusals)")
    try database.server.start()
    let started = try await servers.race(.register, client)
    #expect(started.winners.count == 1 && started.lost == 0, "\(started.refusals)")
    #expect(try database.sql("SELECT count(*) FROM credential") == "1")
  }
}
