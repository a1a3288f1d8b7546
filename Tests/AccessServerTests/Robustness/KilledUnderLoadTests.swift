import AccessMessages
import Foundation
import ScriptedClient
import Synchronization
import TestSupport
import Testing

@Suite("A server that is killed while sixty-four clients use it", .blocks, .timeLimit(.minutes(240)))
struct KilledUnderLoadTests {
  /// 500 with CONTACTLESS_SOAK.
  static let rounds = Soak.isOn ? 500 : 20
  private static let clients = 64
  private static let steps: [ScriptedClient.Step] = [
    .addUser, .requestRegistration, .register, .requestAuthentication, .authenticate,
  ]

  /// A response that redeems a challenge.
  private struct Redemption: Sendable {
    var client: ScriptedClient
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
      var client = try ScriptedClient(exchange, base: url, account: "\(name) \(number)", operatorToken: token)
      for step in steps {
        let redeems = [.register, .authenticate].contains(step)
        do {
          try await client.perform(step)
        } catch is HTTPExchangeError {
          if redeems { redemptions.append(Redemption(client: client, isAcknowledged: false)) }
          return redemptions
        }
        guard redeems else { continue }
        redemptions.append(Redemption(client: client, isAcknowledged: true))
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
      let (exchange, restarted) = (try server.exchange(), server.url)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for redemption in redemptions { group.addTask { try await Self.check(redemption, exchange, restarted) } }
        try await group.waitForAll()
      }
    }
  }
}
