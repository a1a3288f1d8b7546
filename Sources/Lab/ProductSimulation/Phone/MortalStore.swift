internal import ContactlessPayment
internal import DeviceAuthentication
internal import EMVCard
internal import Octets

/// The store of the cards of a phone whose process can be killed.
final class MortalStore: WalletStore {
  private let base: any WalletStore
  private let life: Mortality

  init(_ base: any WalletStore, _ life: Mortality) { (self.base, self.life) = (base, life) }

  private static let killed = WalletStoreError.storage("the process was killed")

  private func alive() throws(WalletStoreError) { guard !life.isOver else { throw Self.killed } }

  private func read<Value: ~Copyable>(
    _ body: (any WalletStore) throws(WalletStoreError) -> Value
  ) throws(WalletStoreError) -> Value {
    try alive()
    return try body(base)
  }

  private func write<Value: ~Copyable>(
    _ body: (any WalletStore) throws(WalletStoreError) -> Value
  ) throws(WalletStoreError) -> Value {
    switch life.write() {
    case .done: return try body(base)
    case .full: throw .full("the disk of the phone")
    case .last:
      _ = try body(base)
      throw Self.killed
    case .killed: throw Self.killed
    }
  }

  var mayBlock: Bool { base.mayBlock }
  var isReadOnly: Bool { base.isReadOnly }

  func binding() throws(WalletStoreError) -> WalletBinding? {
    try read { (store) throws(WalletStoreError) in try store.binding() }
  }

  func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    try alive()
    try base.bind(to: binding, dataKey: dataKey)
  }

  func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) {
    try alive()
    try base.unlock(with: dataKey)
  }

  func withdrawals() -> WithdrawalPage? { base.withdrawals() }

  func cards() throws(WalletStoreError) -> [DigitalCard] {
    try read { (store) throws(WalletStoreError) in try store.cards() }
  }

  func status(ofCard number: Int64) throws(WalletStoreError) -> CardStatus {
    try read { (store) throws(WalletStoreError) in try store.status(ofCard: number) }
  }

  func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in
      try store.add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: signingKey)
    }
  }

  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.addKeys(keys, to: id) }
  }

  func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.removeKeys(of: id, below: counters) }
  }

  func apply(_ action: CardAction, to id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.apply(action, to: id) }
  }

  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.setState(state, of: id) }
  }

  func setDefault(_ id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.setDefault(id) }
  }

  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.setCustomDirectory(octets, of: id) }
  }

  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.setWalletData(octets, of: id) }
  }

  func delete(_ id: String) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.delete(id) }
  }

  func lockCounting() throws(WalletStoreError) -> CountingLock? {
    try alive()
    return try base.lockCounting()
  }

  func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.setCounting(counting) }
  }

  func countWithdrawals() throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.countWithdrawals() }
  }

  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    try write { (store) throws(WalletStoreError) in try store.reserve(id) }
  }

  func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.settle(reservation, spent: spent, counting: outcome) }
  }

  func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.applyScript(changes, toCard: number) }
  }

  func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.wipe(isKeyLost: isKeyLost) }
  }

  func correctDate(to date: WallTime) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.correctDate(to: date) }
  }

  func formerKeys() throws(WalletStoreError) -> [KeyIdentifier] {
    try read { (store) throws(WalletStoreError) in try store.formerKeys() }
  }

  func addFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.addFormerKey(key) }
  }

  func removeFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {
    try write { (store) throws(WalletStoreError) in try store.removeFormerKey(key) }
  }

  func isKeyLost() throws(WalletStoreError) -> Bool {
    try read { (store) throws(WalletStoreError) in try store.isKeyLost() }
  }
}
