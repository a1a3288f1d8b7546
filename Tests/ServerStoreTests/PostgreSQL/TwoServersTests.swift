import AccessMessages
import Documents
import Fixtures
import Foundation
import HTTPSTransport
import JSON
import ScriptedClient
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@Suite("Two servers on one PostgreSQL database", .blocks, .timeLimit(.minutes(20)))
struct TwoServersTests {
  private let database: PostgreSQLDatabase

  init() throws { database = try PostgreSQLDatabase() }

  /// The steps that redeem a challenge, token, nonce or answer.
  static let singleUse: Set<ScriptedClient.Step> = [
    .register, .authenticate, .redeem, .confirm, .authenticateAgain, .linkDevice, .answerRecovery, .resetPin,
    .answerQuestion,
  ]

  private func count(_ condition: String) throws -> String {
    try database.sql("SELECT count(*) FROM audit WHERE \(condition)")
  }

  @Test func `every challenge, token, nonce and answer is redeemed at one of them, and each is counted once`()
    async throws
  {
    let servers = try ServerPair(database: database.url)
    let accounts = (1...3).map { "account \($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for account in accounts {
        group.addTask {
          var client = try servers.client(account)
          for (number, step) in ScriptedClient.Step.allCases.enumerated() {
            if Self.singleUse.contains(step) {
              let race = try await servers.race(step, client)
              try #require(race.winners.count == 1 && race.lost == 0, "\(account) \(step): \(race.refusals)")
              #expect(!race.refusals.contains { $0.contains("HTTP 503") }, "\(account) \(step): \(race.refusals)")
              client = race.winners[0]
            } else {
              client = try servers.move(client, to: number.isMultiple(of: 2) ? .first : .second)
              try await client.perform(step)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try count("event = 'registration' AND result = '1200'") == "\(accounts.count)")
    #expect(try count("event = 'authentication' AND result = '1200'") == "\(accounts.count * 3)")
    #expect(try count("event = 'redemption' AND result = 'redeemed'") == "\(accounts.count)")
  }

  @Test func `wrong tokens that both refuse at the same time are all counted`() async throws {
    let servers = try ServerPair(database: database.url)
    let transports = try ServerPair.Side.allCases.map { (try servers.transport($0), servers.url($0)) }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<60 {
        let (transport, url) = transports[number % 2]
        group.addTask {
          try await transport.send(
            HTTPRequest(
              .get, url + OperatorPath.devices, fields: [HTTPField("Authorization", "Bearer wrong-\(number)")])
          ).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == [Int](repeating: 401, count: 60))
    #expect(try database.sql("SELECT count FROM failure WHERE subject = 'refusals:127.0.0.1 wrongToken'") == "60")
    // The trail has the first one and the tenth.
    #expect(try count("event = 'wrongToken'") == "2")
  }

  @Test func `a card is made once, and no key is delivered with two deliveries`() async throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let servers = try ServerPair(
      database: database.url, configuration: #"{"cards": [\#(profile)], "uses": 10, "threshold": 3}"#)
    var client = try servers.client("alice")
    for step in [.enrolWallet, .linkDevice] as [ScriptedClient.Step] { try await client.perform(step) }
    let cards = Mutex<[String]>([])
    let added = try await servers.race(client) { client in
      let body = CardAddition(delivery: "delivery of the card").json
      let json = try await client.sendInSession(.post, CardPath.cards, body, expecting: 201)
      let card = try CardDelivery(json).card.id
      cards.withLock { $0.append(card) }
    }
    #expect(added.winners.count == 2, "\(added.refusals)")
    let card = try #require(cards.withLock { Set($0) }.first)
    #expect(cards.withLock { $0 } == [card, card])
    let enrolled = client
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...6 {
        group.addTask {
          let race = try await servers.race(enrolled) { client in
            let body = KeyRequest(delivery: "delivery of keys \(number)", freeCounters: [1]).json
            _ = try await client.sendInSession(.post, CardPath.keys(card), body)
          }
          #expect(race.winners.count == 2, "\(race.refusals)")
        }
      }
      try await group.waitForAll()
    }
    #expect(
      try database.sql("SELECT count(*), count(DISTINCT firstCounter), sum(uses) FROM keyDelivery")
        == "7|7|70")
    let granted = "SELECT freeCounter - (SELECT min(firstCounter) FROM keyDelivery) FROM cardApplication"
    #expect(try database.sql(granted) == "70")
    #expect(try count("event = 'keysDelivered'") == "6")
  }
}
