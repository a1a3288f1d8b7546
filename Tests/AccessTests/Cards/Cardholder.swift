import AccessMessages
import AccessServer
import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import Fixtures
import MobileAuthentication
import Synchronization
import TestSupport
import Testing
import WalletAccess

/// A user of a server over TLS, whose wallet asks for cards and keys. Deliveries can be lost and changed on the way.
struct Cardholder {
  /// The payments of one delivery, as the server's issuer is configured.
  static let uses = 10

  let test: TestClient
  let changes: ChangingExchange
  let access: WalletAccess
  let deliveries: DeliveryFile
  let service: CardService
  let wallet: Wallet

  /// Enrols a wallet without a card.
  init(_ server: RunningServer) async throws {
    test = try TestClient(server)
    changes = ChangingExchange(test.exchange)
    let device = AuthenticationDevice(ports: test.device.ports, protection: .simulated)
    access = try WalletAccess(
      server: server.url, device: device, http: changes, store: test.store, integrity: SimulatedIntegrity())
    let enrolment = UserEnrolmentCoordinator(access)
    _ = try await enrolment.register(WalletExample.form, requirements: try await enrolment.requirements())
    deliveries = DeliveryFile(path: test.scratch.path("deliveries.json"), issuer: access.server)
    service = CardService(WalletConnection(access), deliveries: deliveries)
    wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, replenishment: service)
    try await wallet.configure(.userPresence)
  }

  /// Runs a server whose issuer has one card profile, and a body with a cardholder.
  static func run(
    card: String = "visa-cvn18", _ body: @escaping @Sendable (Cardholder, RunningServer) async throws -> Void
  ) async throws {
    let template = try CardTemplate(json: [UInt8](Fixtures.data("Cards/\(card).json")), prefix: "999999")
    try await RunningServer.run(cards: [template]) { server in
      try await body(try await Cardholder(server), server)
    }
  }

  /// What a wallet asks its issuer for.
  enum Request: CaseIterable, Sendable {
    case card, keys
  }

  /// Adds the card, so that `keys` can be requested.
  func prepare(_ request: Request) async throws {
    if request == .keys { _ = try await service.addCard(profile: nil, to: wallet) }
  }

  /// Sends a request, stores what is delivered, and finishes the delivery.
  func send(_ request: Request) async throws {
    switch request {
    case .card: _ = try await service.addCard(profile: nil, to: wallet)
    case .keys:
      let card = try await storeKeys()
      try await service.finishReplenishment(ofCard: card)
    }
  }

  /// Requests keys and stores them, as a process that ends before it finishes the delivery.
  ///
  /// - Returns: The identifier of the card.
  @discardableResult func storeKeys() async throws -> String {
    let card = try #require(try await wallet.cards().first).id
    _ = try await wallet.replenish(digitalCardID: card, isForced: true)
    return card
  }

  /// Checks that the wallet has the keys of a number of deliveries and no others, with counters from 1 without a gap.
  func expect(deliveries count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let cards = try await wallet.cards()
    #expect(cards.count == min(count, 1), sourceLocation: sourceLocation)
    let left = count * Self.uses
    #expect(cards.map(\.paymentsLeft) == (count == 0 ? [] : [left]), sourceLocation: sourceLocation)
    #expect(cards.map(\.freeCounters) == (count == 0 ? [] : [[left + 1]]), sourceLocation: sourceLocation)
  }
}

/// Passes exchanges on, and changes the body of a delivery.
final class ChangingExchange: HTTPExchange {
  typealias Change = @Sendable ([UInt8]) -> [UInt8]

  private struct State {
    var change: Change?
    var last: [UInt8] = []
  }

  private let inner: any HTTPExchange
  private let state = Mutex(State())

  init(_ inner: any HTTPExchange) { self.inner = inner }

  /// The body of the last response, as the server sent it.
  var last: [UInt8] { state.withLock { $0.last } }

  /// Changes the next body.
  func changeNext(_ change: @escaping Change) { state.withLock { $0.change = change } }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    var response = try await inner.send(request)
    let body = response.body
    response.body = state.withLock { state in
      state.last = body
      defer { state.change = nil }
      return state.change?(body) ?? body
    }
    return response
  }
}

/// Identifiers of deliveries of a process that ends before it removes one.
struct EndingDeliveries: PendingDeliveries {
  let inner: DeliveryFile

  func identifier(for purpose: DeliveryPurpose) async throws(ProvisioningError) -> String {
    try await inner.identifier(for: purpose)
  }

  func finish(_ purpose: DeliveryPurpose) async throws(ProvisioningError) { throw .storage("the process ended") }
}
