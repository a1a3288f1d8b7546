internal import DeviceAuthentication
public import EMVCard
public import Octets
internal import Synchronization

/// A wallet store in memory, which ends with its process. For demonstrations and tests.
public final class InMemoryWalletStore: WalletStore {
  /// The longest name of a card, in characters.
  public static let maximumNameLength = 64
  /// The valid thresholds.
  public static let thresholds = 0...65_535

  /// Whether a name is valid for a card. Control characters would break the lines of lists.
  package static func takes(name: String) -> Bool {
    (1...maximumNameLength).contains(name.count)
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// False: every call returns at once.
  public var mayBlock: Bool { false }

  private let contents = Mutex(StoredContents())
  private let page = WithdrawalPage()
  private let clock: any WallClock
  /// Whether a wallet has the counting lock. A reference: the lock can be released after the store.
  private let isCounting = SharedFlag()

  /// Creates an empty store.
  ///
  /// - Parameter clock: The date by which keys expire.
  public init(clock: any WallClock = SystemWallClock()) {
    self.clock = clock
  }

  /// Returns the binding; nil before `bind` and after a wipe.
  public func binding() throws(WalletStoreError) -> WalletBinding? { contents.withLock { $0.binding } }

  /// Binds the store, which is empty: cards are added to a bound store only.
  public func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      guard contents.binding == nil else { throw .alreadyBound }
      contents.binding = binding
      contents.isKeyLost = false
    }
  }

  /// Checks that the store is bound. Content in memory is not sealed: any key unlocks it.
  public func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) {
    guard try binding() != nil else { throw .notBound }
  }

  /// Returns the page of the wallets on this store.
  public func withdrawals() -> WithdrawalPage? { page }

  /// Returns what a payment with a card depends on. Every reservation of the store is this object's.
  public func status(ofCard number: Int64) throws(WalletStoreError) -> CardStatus {
    contents.withLock { $0.status(ofCard: number) }
  }

  /// Returns all cards, in the order in which they were added.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    contents.withLock { contents in
      let now = contents.date(of: clock)
      return contents.entries.map { contents.digitalCard($0, at: now) }
    }
  }

  /// Adds an active card. It becomes the default when no card is.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    guard Self.takes(name: id) else { throw .invalidName(limit: Self.maximumNameLength) }
    guard Self.thresholds.contains(threshold) else { throw .invalidThreshold(threshold) }
    try PaymentKeys.check(keys, for: image, at: contents.withLock { $0.date(of: clock) })
    try CardSigningKey.check(signingKey, for: image)
    try contents.withLock { (contents) throws(WalletStoreError) in
      guard contents.binding != nil else { throw .notBound }
      guard !contents.entries.contains(where: { $0.id == id }) else { throw .cardExists(id) }
      contents.insert(id, image, keys, threshold, issuer, signingKey)
    }
  }

  /// Adds batches of keys to a card.
  public func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    try change(id) { (contents, index) throws(WalletStoreError) in
      let now = contents.date(of: clock)
      try PaymentKeys.check(keys, for: contents.entries[index].image, at: now)
      contents.prune(index, at: now)
      contents.append(keys, to: index)
    }
  }

  /// Removes the keys of a card below counters.
  public func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try change(id) { contents, index in
      if contents.hasKeys(index, below: counters) { contents.markUncounted() }
      contents.removeKeys(index, below: counters)
    }
  }

  /// Changes a card's state. A card that is retired is no longer the default.
  public func apply(_ action: CardAction, to id: String) throws(WalletStoreError) {
    try change(id) { (contents, index) throws(WalletStoreError) in
      if action == .resume, contents.entries[index].cardState.isBlockedByIssuer { throw .blockedByIssuer }
      contents.set(try contents.entries[index].state.applying(action), at: index)
      if action.stopsPayments != nil { contents.markUncounted() }
    }
  }

  /// Sets a card's state. A card that is retired is no longer the default.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try change(id) { contents, index in
      if contents.entries[index].state.loses(by: state) { contents.markUncounted() }
      contents.set(state, at: index)
    }
  }

  /// Makes a card the default; throws for a retired one.
  public func setDefault(_ id: String) throws(WalletStoreError) {
    try change(id) { (contents, index) throws(WalletStoreError) in
      let state = contents.entries[index].state
      guard state != .retired else { throw .cardNotActive(state) }
      contents.defaultID = id
    }
  }

  /// Stores the directory that replaces the one of a card's image.
  public func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try change(id) { $0.entries[$1].customDirectory = octets }
  }

  /// Stores the wallet's part of a card's issuer application data.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try change(id) { $0.entries[$1].walletData = octets }
  }

  /// Removes a card with its keys, counters and reservations.
  public func delete(_ id: String) throws(WalletStoreError) {
    try change(id) { contents, index in
      let place = contents.entries.remove(at: index).place
      contents.reservations = contents.reservations.filter { $0.value.card != place }
      if contents.defaultID == id { contents.defaultID = nil }
      contents.markUncounted()
    }
  }

  /// Takes the counting lock; nil while another wallet of this process has it.
  public func lockCounting() throws(WalletStoreError) -> CountingLock? {
    guard isCounting.exchange(true) == false else { return nil }
    return CountingLock { [isCounting] in _ = isCounting.exchange(false) }
  }

  /// Stores how the count compares with the counter of the device's key.
  public func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError) {
    contents.withLock { $0.binding?.counting = counting }
  }

  /// Replaces a date that is later than that of an issuer.
  public func correctDate(to date: WallTime) throws(WalletStoreError) {
    contents.withLock { $0.latestDate = min($0.latestDate, date) }
  }

  /// Raises the count of the binding when a right was taken away since it was raised last.
  public func countWithdrawals() throws(WalletStoreError) {
    contents.withLock { contents in
      guard contents.binding?.counting == .uncounted else { return }
      contents.binding?.count += 1
      contents.binding?.counting = .inStep
    }
  }

  /// Reserves one use of every application of a card.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    let (name, entry, taken) = try contents.withLock { (contents) throws(WalletStoreError) in
      try contents.take(id, at: contents.date(of: clock))
    }
    return ReservedUses(
      id: name, of: entry.image, counters: taken.map(\.counter), materials: taken.map(\.key.material),
      signingKey: entry.signingKey, cardState: entry.cardState, offline: taken.map(\.offline))
  }

  /// Ends a reservation.
  public func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    contents.withLock { $0.settle(reservation, spent: spent, counting: outcome) }
  }

  /// Makes the changes of an issuer's script in a card. CARD BLOCK retires the card.
  public func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    contents.withLock { contents in
      contents.apply(changes, toCard: number)
      if changes.contains(where: \.isCounted) { contents.markUncounted() }
    }
  }

  /// Removes all cards, keys, counters and reservations, and the binding.
  public func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    contents.withLock { $0.wipe(isKeyLost: isKeyLost) }
  }

  /// Returns whether the store was wiped because the device had lost its key.
  public func isKeyLost() throws(WalletStoreError) -> Bool { contents.withLock(\.isKeyLost) }

  /// Changes the content at the position of a card.
  private func change(
    _ id: String, _ body: (inout StoredContents, Int) throws(WalletStoreError) -> Void
  ) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in try body(&contents, contents.index(of: id)) }
  }
}

/// A flag that closures share.
final class SharedFlag: Sendable {
  private let isSet = Atomic<Bool>(false)

  /// Sets the flag and returns the value that it had.
  func exchange(_ value: Bool) -> Bool { isSet.exchange(value, ordering: .acquiringAndReleasing) }
}
