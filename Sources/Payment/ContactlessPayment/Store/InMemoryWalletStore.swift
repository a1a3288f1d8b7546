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

  private let contents = Mutex(WalletContents())
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

  /// Returns all cards, in the order in which they were added.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    let now = clock.now
    return contents.withLock { contents in contents.entries.map { contents.digitalCard($0, at: now) } }
  }

  /// Adds an active card. It becomes the default when no card is.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    guard Self.takes(name: id) else { throw .invalidName(limit: Self.maximumNameLength) }
    guard Self.thresholds.contains(threshold) else { throw .invalidThreshold(threshold) }
    try PaymentKeys.check(keys, for: image, at: clock.now)
    try CardSigningKey.check(signingKey, for: image)
    try contents.withLock { (contents) throws(WalletStoreError) in
      guard contents.binding != nil else { throw .notBound }
      guard !contents.entries.contains(where: { $0.id == id }) else { throw .cardExists(id) }
      contents.insert(id, image, keys, threshold, issuer, signingKey)
    }
  }

  /// Adds batches of keys to a card.
  public func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    let now = clock.now
    try change(id) { (contents, index) throws(WalletStoreError) in
      try PaymentKeys.check(keys, for: contents.entries[index].image, at: now)
      contents.prune(index, at: now)
      contents.append(keys, to: index)
    }
  }

  /// Removes the keys of a card below counters.
  public func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try change(id) { $0.removeKeys($1, below: counters) }
  }

  /// Changes a card's state. A card that is retired is no longer the default.
  public func apply(_ action: CardAction, to id: String) throws(WalletStoreError) {
    try change(id) { (contents, index) throws(WalletStoreError) in
      if action == .resume, contents.entries[index].cardState.isBlockedByIssuer { throw .blockedByIssuer }
      contents.set(try contents.entries[index].state.applying(action), at: index)
    }
  }

  /// Sets a card's state. A card that is retired is no longer the default.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try change(id) { $0.set(state, at: $1) }
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

  /// Reserves one use of every application of a card.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    let now = clock.now
    let (name, entry, taken) = try contents.withLock { (contents) throws(WalletStoreError) in
      try contents.take(id, at: now)
    }
    return ReservedUses(
      id: name, of: entry.image, counters: taken.map(\.counter), materials: taken.map(\.key.material),
      signingKey: entry.signingKey)
  }

  /// Ends a reservation.
  public func settle(
    _ reservation: ReservationID, spent: Set<Int>, leaving state: CardState?
  ) throws(WalletStoreError) {
    contents.withLock { $0.settle(reservation, spent: spent, leaving: state) }
  }

  /// Stores what the issuer has changed in a card; a card that it has blocked is retired.
  public func setCardState(_ state: CardState, ofCard number: Int64) throws(WalletStoreError) {
    contents.withLock { contents in
      guard let index = contents.entries.firstIndex(where: { Int64($0.place) == number }) else { return }
      contents.entries[index].cardState = state
      if state.isBlocked { contents.set(.retired, at: index) }
    }
  }

  /// Lifts the blocks of the applications of a card.
  public func unblockApplications(of id: String) throws(WalletStoreError) {
    try change(id) { $0.entries[$1].cardState = $0.entries[$1].cardState.unblockingApplications() }
  }

  /// Removes all cards, keys, counters and reservations, and the binding.
  public func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    contents.withLock { $0.wipe(isKeyLost: isKeyLost) }
  }

  /// Returns whether the store was wiped because the device had lost its key.
  public func isKeyLost() throws(WalletStoreError) -> Bool { contents.withLock(\.isKeyLost) }

  /// Changes the content at the position of a card.
  private func change(
    _ id: String, _ body: (inout WalletContents, Int) throws(WalletStoreError) -> Void
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
