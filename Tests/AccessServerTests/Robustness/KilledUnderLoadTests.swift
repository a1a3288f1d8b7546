import AccessMessages
import Foundation
import ScriptedClient
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

@Suite("A server that is killed while sixty-four clients use it", .blocks, .timeLimit(.minutes(240)))
struct KilledUnderLoadTests {
  /// 500 with CONTACTLESS_SOAK.
  static let rounds = Soak.isOn ? 500 : 20
  private static let clients = 64
  private static let steps: [ScriptedClient.Step] = [
    .addUser, .requestRegistration, .register, .requestAuthentication, .authenticate,
  ]

  /// The events of the steps that redeem a challenge.
  private static let events: [ScriptedClient.Step: String] = [
    .register: "registration", .authenticate: "authentication",
  ]

  /// A response that redeems a challenge.
  private struct Redemption: Sendable {
    var client: ScriptedClient
    let account: String
    /// The event of the audit trail.
    let event: String
    let isAcknowledged: Bool
  }

  private final class Acknowledged: Sendable {
    let count = Atomic(0)
  }

  /// Registers and authenticates one account after the other until the server is killed.
  private static func load(
    _ exchange: any HTTPExchange, _ url: String, _ token: String, name: String, _ acknowledged: Acknowledged
  ) async throws -> [Redemption] {
    var redemptions: [Redemption] = []
    for number in 0... {
      let account = "\(name) \(number)"
      var client = try ScriptedClient(exchange, base: url, account: account, operatorToken: token)
      for step in steps {
        let event = events[step]
        do {
          try await client.perform(step)
        } catch is HTTPExchangeError {
          if let event {
            redemptions.append(Redemption(client: client, account: account, event: event, isAcknowledged: false))
          }
          return redemptions
        }
        guard let event else { continue }
        redemptions.append(Redemption(client: client, account: account, event: event, isAcknowledged: true))
        acknowledged.count.add(1, ordering: .relaxed)
      }
    }
    return redemptions
  }

  /// Checks at the server that goes on that a response has had its effect at most once, and, when it was acknowledged, once.
  private static func check(_ redemption: Redemption, _ exchange: any HTTPExchange, _ url: String) async throws {
    var client = redemption.client
    (client.exchange, client.base) = (exchange, url)
    let first = try await client.repeatLastRequest()
    #expect(first == (200, 1_491) || !redemption.isAcknowledged && first == (200, 1_200), "\(first)")
    #expect(try await client.repeatLastRequest() == (200, 1_491))
  }

  /// Checks in the database that the account of a redemption has its key, and the redemption one entry in the audit trail. One
  /// that was not acknowledged may have neither until its response is sent again.
  private static func check(_ redemptions: [Redemption], _ database: String, isRepeated: Bool) async throws {
    let stored = try await SQLiteAccessStore(path: database).read { store throws(AccessError) in
      try redemptions.map { redemption throws(AccessError) in
        let filter = AuditFilter(account: redemption.account, event: redemption.event, result: "1200")
        return (
          credentials: try store.credentials(of: redemption.account).count,
          entries: try store.auditEntries(filter, before: nil, limit: 2).count
        )
      }
    }
    for (redemption, stored) in zip(redemptions, stored) {
      let isCertain = redemption.isAcknowledged || isRepeated
      #expect(stored.entries == 1 || stored.entries == 0 && !isCertain, "\(redemption.event) of \(redemption.account)")
      #expect(stored.credentials == 1 || stored.entries == 0 && !isCertain, "\(redemption.account)")
    }
  }

  @Test func `nothing that the server acknowledged is lost, and no response is accepted twice`() async throws {
    let scratch = try Scratch()
    let limits = #", "failures": {"challengesPerAddress": 1000000, "operationsPerAddress": 1000000}"#
    let server = try RunningServer(in: scratch.directory.path, settings: limits)
    for round in 0..<Self.rounds {
      let (url, token) = (server.url, try server.operatorToken())
      let exchanges = try (0..<Self.clients).map { _ in try server.exchange() }
      let acknowledged = Acknowledged()
      let redemptions = try await withThrowingTaskGroup(of: [Redemption].self) { group in
        for (number, exchange) in exchanges.enumerated() {
          group.addTask { try await Self.load(exchange, url, token, name: "\(round) \(number)", acknowledged) }
        }
        while acknowledged.count.load(ordering: .relaxed) < Self.clients / 2 {
          let ending = server.process.poll()
          try #require(ending == nil, "round \(round): the server ended by itself: \(server.events.suffix(5))")
          try await Task.sleep(for: .milliseconds(2))
        }
        try server.killAndRestart()
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(redemptions.contains { $0.isAcknowledged })
      try await Self.check(redemptions, server.database, isRepeated: false)
      let (exchange, restarted) = (try server.exchange(), server.url)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for redemption in redemptions { group.addTask { try await Self.check(redemption, exchange, restarted) } }
        try await group.waitForAll()
      }
      try await Self.check(redemptions, server.database, isRepeated: true)
    }
  }
}
