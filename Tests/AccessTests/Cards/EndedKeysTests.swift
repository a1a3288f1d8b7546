import AccessServer
import CardProvisioning
import ContactlessPayment
import Octets
import ServerStore
import TestSupport
import Testing

@Suite("Keys that the issuer no longer accepts", .timeLimit(.minutes(20)))
struct EndedKeysTests {
  @Test(arguments: ["visa-cvn18", "mastercard-cvn16"])
  func `a wallet removes them, and pays with keys whose counters follow`(_ profile: String) async throws {
    try await Cardholder.run(card: profile) { holder, server in
      try await holder.prepare(.keys)
      try await holder.service.follow(holder.wallet)
      try await holder.expect(deliveries: 1)
      let store = try SQLiteAccessStore(path: server.files.database)
      _ = try await KeyAdministration(store: store, clock: server.clock).rotate(.issuer, acceptedFor: 60)
      try await holder.send(.keys)
      try await holder.service.follow(holder.wallet)
      try await holder.expect(deliveries: 2)

      server.clock.set(WallTime(seconds: server.clock.now.seconds + 61))
      for _ in 0..<2 {
        try await holder.service.follow(holder.wallet)
        let card = try #require(try await holder.wallet.cards().first)
        #expect(card.paymentsLeft == Cardholder.uses)
        #expect(card.freeCounters == [2 * Cardholder.uses + 1])
      }
      _ = try await KeyAdministration(store: store, clock: server.clock).rotate(.issuer, acceptedFor: 0)
      try await holder.service.follow(holder.wallet)
      #expect(try await holder.wallet.cards().map(\.paymentsLeft) == [0])
      try await holder.send(.keys)
      try await holder.service.follow(holder.wallet)
      let card = try #require(try await holder.wallet.cards().first)
      #expect(card.paymentsLeft == Cardholder.uses)
      #expect(card.freeCounters == [3 * Cardholder.uses + 1])
    }
  }
}
