import ContactlessPayment
import DeviceAuthentication
import Dispatch
import EMVCard
import Links
import Octets
import Synchronization
import Testing

/// A store whose `settle` blocks until it is released, so that the card's notices wait for the session. It keeps the
/// reserved counters.
private final class SlowStore: WalletStore {
  private let given = Mutex<[UInt16]>([])
  let base = InMemoryWalletStore()
  let release = DispatchSemaphore(value: 0)
  let reached = DispatchSemaphore(value: 0)

  func binding() throws(WalletStoreError) -> WalletBinding? { try base.binding() }
  func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    try base.bind(to: binding, dataKey: dataKey)
  }
  func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) { try base.unlock(with: dataKey) }
  func cards() throws(WalletStoreError) -> [DigitalCard] { try base.cards() }
  func add(_ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int) throws(WalletStoreError) {
    try base.add(id, image, keys: keys, threshold: threshold)
  }
  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) { try base.addKeys(keys, to: id) }
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError) { try base.apply(action, to: id) }
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) { try base.setState(state, of: id) }
  func setDefault(_ id: String) throws(WalletStoreError) { try base.setDefault(id) }
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setCustomDirectory(octets, of: id)
  }
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setWalletData(octets, of: id)
  }
  func delete(_ id: String) throws(WalletStoreError) { try base.delete(id) }
  var givenCounters: [UInt16] { given.withLock { $0 } }
  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    let uses = try base.reserve(id)
    let counters = uses.counters
    given.withLock { $0 += counters }
    return uses
  }
  func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError) {
    reached.signal()
    release.wait()
    try base.settle(reservation, spent: spent)
  }
  func wipe() throws(WalletStoreError) { try base.wipe() }
}

@Suite("Taps that come faster than the session handles them")
struct TornTapTests {
  @Test(.timeLimit(.minutes(2)))
  func `a terminal that returns before a further use is reserved waits for it`() async throws {
    let store = SlowStore()
    let test = try await TestWallet(store: store)
    let (session, log) = try await test.armedSession(limits: SessionLimits(retries: RetryPolicy(limit: 2)))
    let loopback = Loopback(responseTimeout: .seconds(100), clock: test.clock)
    try await session.startEmulation(on: loopback)
    let first = try await Tap.send([Tap.select, Tap.options], over: loopback)
    await DedicatedThread(named: "settle") { store.reached.wait() }.value()
    // The session is still handling the first tap.
    let second = Task { try await Tap.send([Tap.select, Tap.options], over: loopback) }
    try await Task.sleep(for: .milliseconds(100))
    for _ in 0..<8 { store.release.signal() }
    #expect(try await second.value[1].contains("9F36020002"))
    var disconnections = 0
    while disconnections < 2 { if await log.next() == "posDisconnected" { disconnections += 1 } }
    let paid = try await Tap.send(Tap.whole, over: loopback)
    #expect(first[1].contains("9F36020001"))
    #expect(paid[1].contains("9F36020003"))
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    #expect(store.givenCounters == [1, 2, 3])
    #expect(try store.cards()[0].paymentsLeft == 2)
  }

  @Test func `a card suspended during the verification is not armed`() async throws {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    try await test.wallet.setState(.suspended, of: "card")
    await log.proceed()
    #expect(log.names.last == "errorEncountered(cardNotActive)")
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `an armed session that is released releases its use`() async throws {
    let test = try await TestWallet()
    do {
      let (session, _) = try await test.armedSession()
      #expect(try await test.paymentsLeft() == 4)
      _ = session
    }
    while try await test.paymentsLeft() != 5 { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `two calls of configure do not overlap`() async throws {
    let test = try await TestWallet()
    try await test.wallet.reset()
    async let first: Void = test.wallet.configure(.biometricOnly)
    async let second: Void = test.wallet.configure(.userPresence)
    let results = [try? await first, try? await second]
    #expect(results.compactMap(\.self).count == 1)
  }
}
