import ContactlessPayment
import Dispatch
import EMVCard
import Octets
import Synchronization

/// A store whose calls of one kind block until the test opens it. It keeps the counters that it gave.
final class BlockingStore: WalletStore {
  enum Call { case cards, reserve, settle }

  let base = InMemoryWalletStore()
  private let given = Mutex<[UInt16]>([])
  private let blocked = Mutex<Call?>(nil)
  private let opened = DispatchSemaphore(value: 0)
  let reached = DispatchSemaphore(value: 0)

  /// The counters of every reservation.
  var givenCounters: [UInt16] { given.withLock { $0 } }

  func block(_ call: Call) { blocked.withLock { $0 = call } }

  func open() {
    blocked.withLock { $0 = nil }
    opened.signal()
  }

  private func pass(_ call: Call) {
    guard blocked.withLock({ $0 == call }) else { return }
    reached.signal()
    opened.wait()
    opened.signal()
  }

  func lockCounting() throws(WalletStoreError) -> CountingLock? { try base.lockCounting() }
  func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError) { try base.setCounting(counting) }
  func countWithdrawals() throws(WalletStoreError) { try base.countWithdrawals() }
  func correctDate(to date: WallTime) throws(WalletStoreError) { try base.correctDate(to: date) }
  func binding() throws(WalletStoreError) -> WalletBinding? { try base.binding() }
  func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    try base.bind(to: binding, dataKey: dataKey)
  }
  func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) { try base.unlock(with: dataKey) }
  func cards() throws(WalletStoreError) -> [DigitalCard] {
    pass(.cards)
    return try base.cards()
  }
  func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    try base.add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: signingKey)
  }
  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) { try base.addKeys(keys, to: id) }
  func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try base.removeKeys(of: id, below: counters)
  }
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError) { try base.apply(action, to: id) }
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) { try base.setState(state, of: id) }
  func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    try base.applyScript(changes, toCard: number)
  }
  func setDefault(_ id: String) throws(WalletStoreError) { try base.setDefault(id) }
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setCustomDirectory(octets, of: id)
  }
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setWalletData(octets, of: id)
  }
  func delete(_ id: String) throws(WalletStoreError) { try base.delete(id) }
  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    pass(.reserve)
    let uses = try base.reserve(id)
    let counters = uses.counters
    given.withLock { $0 += counters }
    return uses
  }
  func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    pass(.settle)
    try base.settle(reservation, spent: spent, counting: outcome)
  }
  func wipe(isKeyLost: Bool) throws(WalletStoreError) { try base.wipe(isKeyLost: isKeyLost) }
  func isKeyLost() throws(WalletStoreError) -> Bool { try base.isKeyLost() }
}
