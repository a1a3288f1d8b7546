import ContactlessPayment
import EMVCard
import Foundation
import Octets

/// A file to which each line is written with one system call, so a killed process leaves whole lines.
final class Journal: Sendable {
  private let file: FileHandle

  /// Opens a journal at its end, or creates it.
  init(path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes a line before the change that it describes is made.
  func write(_ line: String) {
    do {
      try file.write(contentsOf: Data((line + "\n").utf8))
    } catch { preconditionFailure("the journal cannot be written: \(error)") }
  }
}

/// A wallet store that writes every change to a journal.
///
/// `begin` is written before a change and `end` after it; between both, the change may or may not have been made. A
/// reserved counter is in the journal before the session receives it, and a released counter before it is released.
struct JournallingStore: WalletStore {
  let base: any WalletStore
  let journal: Journal
  private let counters = Counters()

  /// The present reservations; one session at a time.
  private final class Counters: @unchecked Sendable {
    // @unchecked: only the one session that uses the store calls it.
    var reserved: [ReservationID: UInt16] = [:]
  }

  init(_ base: any WalletStore, _ journal: Journal) {
    self.base = base
    self.journal = journal
  }

  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    journal.write("begin reserve")
    let uses = try base.reserve(id)
    journal.write("reserved \(uses.counters[0])")
    counters.reserved[uses.id] = uses.counters[0]
    return uses
  }

  func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    guard let counter = counters.reserved.removeValue(forKey: reservation) else { return }
    journal.write(spent.isEmpty ? "begin release \(counter)" : "begin spend \(counter)")
    try base.settle(reservation, spent: spent, counting: outcome)
    journal.write("end")
  }

  func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    try changing("add \(keys[0].uses)") { () throws(WalletStoreError) in
      try base.add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: signingKey)
    }
  }

  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    try changing("replenish \(keys[0].uses)") { () throws(WalletStoreError) in try base.addKeys(keys, to: id) }
  }

  func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try base.removeKeys(of: id, below: counters)
  }

  func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    try changing("wipe") { () throws(WalletStoreError) in try base.wipe(isKeyLost: isKeyLost) }
  }

  func isKeyLost() throws(WalletStoreError) -> Bool { try base.isKeyLost() }

  private func changing(_ change: String, _ body: () throws(WalletStoreError) -> Void) throws(WalletStoreError) {
    journal.write("begin \(change)")
    try body()
    journal.write("end")
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
  func cards() throws(WalletStoreError) -> [DigitalCard] { try base.cards() }
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError) { try base.apply(action, to: id) }
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) { try base.setState(state, of: id) }
  func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    try base.applyScript(changes, toCard: number)
  }
  func setDefault(_ id: String) throws(WalletStoreError) { try base.setDefault(id) }
  func delete(_ id: String) throws(WalletStoreError) { try base.delete(id) }
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setCustomDirectory(octets, of: id)
  }
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setWalletData(octets, of: id)
  }
}

extension PaymentKeys {
  /// The number of payments that the keys allow.
  fileprivate var uses: Int {
    switch self {
    case .limitedUse(let key): key.uses
    case .singleUse(let keys): keys.count
    }
  }
}
