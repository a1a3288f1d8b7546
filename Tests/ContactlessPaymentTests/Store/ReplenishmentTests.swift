import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Octets
import Synchronization
import Testing

/// The test issuer as a replenishment service. It keeps the requests, waits for `open`, and fails on demand.
private final class Issuer: ReplenishmentService {
  let books = TestIssuer()
  let requests = Mutex<[Bool]>([])
  let failure = Mutex<ReplenishmentServiceError?>(nil)
  let gate: AsyncStream<Void>
  let opener: AsyncStream<Void>.Continuation

  init() { (gate, opener) = AsyncStream.makeStream() }

  func open() { opener.yield() }

  func account(_ application: CardImage.Application) -> IssuerAccount {
    IssuerAccount(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion, firstCounter: application.firstATC)
  }

  func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys] {
    requests.withLock { $0.append(isForced) }
    for await _ in gate { break }
    if let error = failure.withLock({ $0 }) { throw error }
    var keys: [PaymentKeys] = []
    for (application, free) in zip(card.image.applications, card.freeCounters) {
      let account = account(application)
      books.enrol(account)
      do throws(ProvisioningRefusal) {
        let grant = try books.grant(4, to: account, notBelow: free)
        keys.append(
          .limitedUse(
            LimitedUseKey(
              masterKey: books.cardMasterKey(of: account), firstCounter: grant.firstCounter, uses: grant.uses)))
      } catch { throw .declined("\(error)") }
    }
    return keys
  }
}

@Suite("Replenishment")
struct ReplenishmentTests {
  private let issuer = Issuer()
  let store = InMemoryWalletStore()
  let wallet: Wallet
  let image: CardImage

  init() async throws {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, clock: ManualClock(), replenishment: issuer)
    try await wallet.configure(.biometricOnly)
    image = try await TestWallet().image
  }

  func add(_ id: String = "card", uses: Int) async throws {
    try await wallet.add(id, image, keys: TestWallet.keys(for: image, uses: uses).map(PaymentKeys.limitedUse))
  }

  @Test func `keys are requested at the threshold or below, and above it only when forced`() async throws {
    try await add(uses: 3)
    #expect(try await wallet.replenish(digitalCardID: "card") == .notNeeded(paymentsLeft: 3))
    #expect(issuer.requests.withLock { $0 }.isEmpty)
    issuer.open()
    #expect(try await wallet.replenish(digitalCardID: "card", isForced: true) == .replenished(paymentsLeft: 7))
    #expect(issuer.requests.withLock { $0 } == [true])
    try store.delete("card")
    try await add(uses: 2)
    issuer.open()
    #expect(try await wallet.replenish(digitalCardID: "card") == .replenished(paymentsLeft: 6))
    #expect(issuer.requests.withLock { $0 } == [true, false])
  }

  @Test func `new keys continue the counters of the old ones, and no counter is granted twice`()
    async throws
  {
    try await add(uses: 2)
    let first = Int(image.applications[0].firstATC)
    for round in 1...3 {
      issuer.open()
      _ = try await wallet.replenish(digitalCardID: "card", isForced: true)
      #expect(try store.cards()[0].freeCounters == [first + 2 + 4 * round])
    }
    var counters: [UInt16] = []
    for _ in 1...14 { counters += try store.reserve("card").counters }
    #expect(counters.map(Int.init) == Array(first..<first + 14))
  }

  @Test func `a card has one request at a time, and another card can have its own`() async throws {
    try await add("card", uses: 0)
    try await add("other", uses: 0)
    let wallet = wallet
    let first = Task { try await wallet.replenish(digitalCardID: "card") }
    while issuer.requests.withLock({ $0.count }) < 1 { try? await Task.sleep(for: .milliseconds(1)) }
    await #expect(throws: ReplenishmentError.inProgress("card")) {
      try await wallet.replenish(digitalCardID: "card", isForced: true)
    }
    issuer.open()
    #expect(try await first.value == .replenished(paymentsLeft: 4))
    issuer.open()
    #expect(try await wallet.replenish(digitalCardID: "other") == .replenished(paymentsLeft: 4))
    issuer.open()
    #expect(try await wallet.replenish(digitalCardID: "card", isForced: true) == .replenished(paymentsLeft: 8))
  }

  @Test(arguments: [
    ReplenishmentServiceError.network("no route"), .server("500"), .declined("stopped"),
  ])
  func `an error of the issuer is reported, changes nothing, and allows the next request`(
    _ error: ReplenishmentServiceError
  ) async throws {
    try await add(uses: 1)
    issuer.failure.withLock { $0 = error }
    issuer.open()
    await #expect(throws: ReplenishmentError.service(error)) { try await wallet.replenish(digitalCardID: "card") }
    #expect(try store.cards()[0].paymentsLeft == 1)
    issuer.failure.withLock { $0 = nil }
    issuer.open()
    #expect(try await wallet.replenish(digitalCardID: "card") == .replenished(paymentsLeft: 5))
  }

  @Test func `a retired or unknown card gets no keys`()
    async throws
  {
    try await add(uses: 1)
    let application = image.applications[0]
    issuer.books.enrol(issuer.account(application))
    issuer.books.retire(accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber)
    issuer.open()
    await #expect(throws: ReplenishmentError.service(.declined("\(ProvisioningRefusal.retired)"))) {
      try await wallet.replenish(digitalCardID: "card")
    }
    try store.setState(.retired, of: "card")
    await #expect(throws: ReplenishmentError.wallet(.store(.cardNotActive(.retired)))) {
      try await wallet.replenish(digitalCardID: "card")
    }
    await #expect(throws: ReplenishmentError.wallet(.store(.unknownCard("none")))) {
      try await wallet.replenish(digitalCardID: "none")
    }
    #expect(issuer.requests.withLock { $0.count } == 1)
  }

  @Test func `keys for a card or a wallet that was removed during the request are dropped`()
    async throws
  {
    let (wallet, store) = (wallet, store)
    let removals: [@Sendable () async throws -> Void] = [
      { try store.delete("card") }, { try await wallet.reset() },
    ]
    for (round, remove) in removals.enumerated() {
      try await add(uses: 1)
      let task = Task { try await wallet.replenish(digitalCardID: "card") }
      while issuer.requests.withLock({ $0.count }) <= round { try? await Task.sleep(for: .milliseconds(1)) }
      try await remove()
      issuer.open()
      await #expect(throws: ReplenishmentError.self) { try await task.value }
      #expect(try store.cards().isEmpty)
    }
  }

  @Test func `replenishment needs a service and an initialized wallet`() async throws {
    let device = SimulatedDevice()
    let bare = Wallet(store: store, device: device.ports)
    await #expect(throws: ReplenishmentError.noService) { try await bare.replenish(digitalCardID: "card") }
    let fresh = Wallet(store: store, device: device.ports, replenishment: issuer)
    await #expect(throws: ReplenishmentError.wallet(.notInitialized)) {
      try await fresh.replenish(digitalCardID: "card")
    }
  }
}
