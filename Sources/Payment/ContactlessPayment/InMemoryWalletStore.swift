public import EMVCard
internal import EMVCryptography
internal import Octets
internal import Synchronization

/// A wallet store that lives as long as its process. For demonstrations and tests.
public final class InMemoryWalletStore: WalletStore {
  /// The longest name of a card, in characters.
  public static let maximumNameLength = 64

  private struct Account {
    let key: LimitedUseKey
    var nextCounter: Int
    var usesLeft: Int

    init(_ key: LimitedUseKey) {
      self.key = key
      nextCounter = Int(key.firstCounter)
      usesLeft = key.uses
    }

    var hasUse: Bool { usesLeft > 0 && nextCounter <= 0xFFFF }
    var usable: Int { min(usesLeft, 0x1_0000 - nextCounter) }
  }

  private struct Entry {
    let id: String
    let image: CardImage
    var state = DigitalCard.State.active
    var accounts: [Account]
    var customDirectory: [UInt8]?
    var walletData: [UInt8]?
  }

  private struct Reservation {
    let card: String
    let counters: [UInt16]
  }

  private struct Contents {
    var entries: [Entry] = []
    var defaultID: String?
    var reservations: [ReservationID: Reservation] = [:]
    var nextReservation: UInt64 = 1

    func index(of id: String) throws(WalletStoreError) -> Int {
      guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .unknownCard(id) }
      return index
    }
  }

  private let contents = Mutex(Contents())

  /// Creates an empty store.
  public init() {}

  /// All cards, in the order in which they came.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    contents.withLock { contents in
      contents.entries.map { entry in
        DigitalCard(
          id: entry.id, image: entry.image, state: entry.state, isDefault: entry.id == contents.defaultID,
          paymentsLeft: entry.accounts.map(\.usable).min() ?? 0, customDirectory: entry.customDirectory,
          walletData: entry.walletData)
      }
    }
  }

  /// Adds an active card; the first becomes the default.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletStoreError) {
    guard (1...Self.maximumNameLength).contains(id.count) else { throw .invalidName(limit: Self.maximumNameLength) }
    guard keys.count == image.applications.count else {
      throw .wrongKeys(applications: image.applications.count, keys: keys.count)
    }
    try contents.withLock { (contents) throws(WalletStoreError) in
      guard !contents.entries.contains(where: { $0.id == id }) else { throw .cardExists(id) }
      contents.entries.append(Entry(id: id, image: image, accounts: keys.map(Account.init)))
      contents.defaultID = contents.defaultID ?? id
    }
  }

  /// Changes whether a card may pay.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      contents.entries[try contents.index(of: id)].state = state
    }
  }

  /// Makes a card the default.
  public func setDefault(_ id: String) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      _ = try contents.index(of: id)
      contents.defaultID = id
    }
  }

  /// Keeps the directory that a card answers with in the place of its image's.
  public func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      contents.entries[try contents.index(of: id)].customDirectory = octets
    }
  }

  /// Keeps what the wallet adds to a card's issuer application data.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      contents.entries[try contents.index(of: id)].walletData = octets
    }
  }

  /// Removes a card with its keys, counters and reservations.
  public func delete(_ id: String) throws(WalletStoreError) {
    try contents.withLock { (contents) throws(WalletStoreError) in
      contents.entries.remove(at: try contents.index(of: id))
      contents.reservations = contents.reservations.filter { $0.value.card != id }
      if contents.defaultID == id { contents.defaultID = nil }
    }
  }

  /// Takes one use of every application of a card out of the store.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    let (name, entry, counters) = try contents.withLock { (contents) throws(WalletStoreError) in
      let index = try contents.index(of: id)
      let state = contents.entries[index].state
      guard state == .active else { throw .cardNotActive(state) }
      guard contents.entries[index].accounts.allSatisfy(\.hasUse) else { throw .noUseLeft }
      let entry = contents.entries[index]
      let counters = entry.accounts.map { UInt16($0.nextCounter) }
      for account in entry.accounts.indices {
        contents.entries[index].accounts[account].usesLeft -= 1
        contents.entries[index].accounts[account].nextCounter += 1
      }
      let name = ReservationID(rawValue: contents.nextReservation)
      contents.nextReservation += 1
      contents.reservations[name] = Reservation(card: id, counters: counters)
      return (name, entry, counters)
    }
    let keys = TripleDESKeys(count: counters.count) { place in
      entry.image.applications[place].cryptogramVersion.cryptogramKey(
        masterKey: entry.accounts[place].key.masterKey, atc: counters[place])
    }
    return ReservedUses(id: name, counters: counters, keys: keys)
  }

  /// Ends a reservation.
  public func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError) {
    contents.withLock { contents in
      guard let ended = contents.reservations.removeValue(forKey: reservation),
        let index = contents.entries.firstIndex(where: { $0.id == ended.card })
      else { return }
      for (place, counter) in ended.counters.enumerated() where !spent.contains(place) {
        contents.entries[index].accounts[place].usesLeft += 1
        // A counter that others have passed meanwhile is skipped: gaps are legal, repeats are not.
        if contents.entries[index].accounts[place].nextCounter == Int(counter) + 1 {
          contents.entries[index].accounts[place].nextCounter = Int(counter)
        }
      }
    }
  }

  /// Removes all cards, keys, counters and reservations.
  public func wipe() throws(WalletStoreError) {
    contents.withLock { contents in
      let next = contents.nextReservation
      contents = Contents()
      contents.nextReservation = next
    }
  }
}
