import AccessMessages
import CardProvisioning
import ContactlessPayment
import JSON
import Testing

/// Faults on the way between a server over TLS and a wallet: keys are neither stored twice nor lost, and counters have no gap.
@Suite("Faults in the delivery of cards and keys", .timeLimit(.minutes(20)))
struct DeliveryFaultTests {
  @Test(arguments: Cardholder.Request.allCases, RecordingExchange.Loss.allCases)
  func `a request whose answer is lost stores nothing, and the next one delivers the same`(
    _ request: Cardholder.Request, _ loss: RecordingExchange.Loss
  ) async throws {
    try await Cardholder.run { holder, _ in
      try await holder.prepare(request)
      let before = request == .card ? 0 : 1
      for _ in 0..<2 {
        holder.test.exchange.lose(0, loss)
        await expectFailure(of: request, holder, .unreached)
        try await holder.expect(deliveries: before)
      }
      holder.test.exchange.lose(nil)
      try await holder.send(request)
      try await holder.expect(deliveries: before + 1)
      try await holder.send(.keys)
      try await holder.expect(deliveries: before + 2)
    }
  }

  @Test(arguments: Cardholder.Request.allCases)
  func `a changed delivery is refused and stores nothing, and the next request delivers`(
    _ request: Cardholder.Request
  ) async throws {
    try await Cardholder.run { holder, _ in
      try await holder.prepare(request)
      let before = request == .card ? 0 : 1
      for change in DeliveryChange.allCases {
        holder.changes.changeNext(change.body)
        await expectFailure(of: request, holder, .unusable, "\(change)")
        try await holder.expect(deliveries: before)
      }
      try await holder.send(request)
      try await holder.expect(deliveries: before + 1)
    }
  }

  @Test func `each change of keys is followed by the delivery of the same keys`() async throws {
    try await Cardholder.run { holder, _ in
      try await holder.prepare(.keys)
      for (number, change) in DeliveryChange.allCases.enumerated() {
        holder.changes.changeNext(change.body)
        await expectFailure(of: .keys, holder, .unusable, "\(change)")
        try await holder.send(.keys)
        try await holder.expect(deliveries: number + 2)
      }
    }
  }

  @Test func `the delivery of an earlier request is refused`() async throws {
    try await Cardholder.run { holder, _ in
      try await holder.send(.card)
      let card = holder.changes.last
      try await holder.send(.keys)
      let keys = holder.changes.last
      for earlier in [card, keys] {
        holder.changes.changeNext { _ in earlier }
        await expectFailure(of: .keys, holder, .unusable)
        try await holder.expect(deliveries: 2)
      }
      try await holder.send(.keys)
      try await holder.expect(deliveries: 3)
    }
  }

  @Test func `keys that were stored before the process ended are not stored again`() async throws {
    try await Cardholder.run { holder, _ in
      try await holder.prepare(.keys)
      try await holder.storeKeys()
      try await holder.expect(deliveries: 2)
      // The delivery is repeated, recognised by its counters, and followed by a new one.
      try await holder.send(.keys)
      try await holder.expect(deliveries: 3)

      try await holder.storeKeys()
      holder.test.exchange.lose(1, .afterTheServer)
      await expectFailure(of: .keys, holder, .unreached)
      holder.test.exchange.lose(nil)
      try await holder.expect(deliveries: 4)
      try await holder.send(.keys)
      try await holder.expect(deliveries: 5)
    }
  }

  @Test func `a card that was stored before the process ended is not added again`() async throws {
    try await Cardholder.run { holder, _ in
      let ending = CardService(
        WalletConnection(holder.access), deliveries: EndingDeliveries(inner: holder.deliveries))
      await #expect(throws: ProvisioningError.storage("the process ended")) {
        try await ending.addCard(profile: nil, to: holder.wallet)
      }
      try await holder.expect(deliveries: 1)
      try await holder.send(.card)
      try await holder.expect(deliveries: 1)
      #expect(try await holder.service.cards().cards.count == 1)
      try await holder.send(.keys)
      try await holder.expect(deliveries: 2)
    }
  }

  @Test func `a suspended card gets no keys, and after it is resumed those that follow`() async throws {
    try await Cardholder.run { holder, server in
      try await holder.prepare(.keys)
      let card = try #require(try await holder.wallet.cards().first).id
      let issuer = try Operator(server)
      try await issuer.change(OperatorPath.card(card), CardSuspension(.suspended).json)
      for _ in 0..<2 {
        await expectFailure(of: .keys, holder, .declined)
        try await holder.expect(deliveries: 1)
      }
      try await issuer.change(OperatorPath.card(card), CardSuspension(.active).json)
      try await holder.send(.keys)
      try await holder.expect(deliveries: 2)
    }
  }

  /// The kinds of errors of both requests.
  private enum Failure {
    case unreached, unusable, declined
  }

  private func expectFailure(
    of request: Cardholder.Request, _ holder: Cardholder, _ expected: Failure, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await #expect(comment, sourceLocation: sourceLocation) {
      try await holder.send(request)
    } throws: { error in
      switch error as? ProvisioningError {
      case .unreached: return expected == .unreached
      case .malformed, .envelope: return expected == .unusable
      case .refused: return expected == .declined
      case nil: break
      default: return false
      }
      switch error as? ReplenishmentError {
      case .service(.network): return expected == .unreached
      case .service(.server): return expected == .unusable
      case .service(.declined): return expected == .declined
      default: return false
      }
    }
  }
}
