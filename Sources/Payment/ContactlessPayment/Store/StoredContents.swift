internal import DeviceAuthentication
internal import EMVCard
internal import Octets

/// The content of a wallet store in memory, and its transactions.
struct StoredContents {
  /// A key and its remaining uses. Reservations refer to the same key.
  struct Key {
    let name: Int
    var batch: KeyBatch
    let material: KeyMaterial
  }

  struct Account {
    /// The lowest counter that no payment has used.
    var floor = 1
    /// The kind of the keys that were added last.
    var keyKind = PaymentKeyKind.limitedUse
    var keys: [Key] = []
  }

  struct Entry {
    let place: Int
    let id: String
    let image: CardImage
    let threshold: Int
    let issuer: String?
    let signingKey: CardSigningKey?
    var state = DigitalCard.State.active
    var accounts: [Account]
    var customDirectory: [UInt8]?
    var walletData: [UInt8]?
    var cardState: CardState
  }

  struct Taken {
    let key: Key
    let counter: UInt16
    /// What the payment may approve without its issuer.
    let offline: OfflineApprovals
  }

  struct Reservation {
    let card: Int
    let taken: [Taken]
    /// Whether the issuer has blocked the card or an application since.
    var isBlocked = false
  }

  var binding: WalletBinding?
  /// The latest date that the store has seen.
  var latestDate = WallTime(seconds: 0)
  /// Whether the last wipe followed the loss of the device's key.
  var isKeyLost = false
  var entries: [Entry] = []
  var defaultID: String?
  var reservations: [ReservationID: Reservation] = [:]
  // Names of cards, keys and reservations are never reused.
  private var lastName = 0

  func status(ofCard number: Int64) -> CardStatus {
    let latest = reservations.filter { Int64($0.value.card) == number }.max { $0.key.rawValue < $1.key.rawValue }
    return CardStatus(
      key: binding?.key.identifier, state: entries.first { Int64($0.place) == number }?.state,
      block: latest?.value.isBlocked == true ? .byOwnPayment : nil)
  }

  /// Sets the state of a card; a retired card is no longer the default.
  mutating func set(_ state: DigitalCard.State, at index: Int) {
    entries[index].state = state
    if state == .retired, defaultID == entries[index].id { defaultID = nil }
  }

  /// Returns the date of a clock, or the latest one when that is later, and notes it.
  mutating func date(of clock: any WallClock) -> WallTime {
    latestDate = max(latestDate, clock.now)
    return latestDate
  }

  /// Notes that a right was taken away, which no count shows yet.
  mutating func markUncounted() {
    if binding?.counting == .inStep { binding?.counting = .uncounted }
  }

  func index(of id: String) throws(WalletStoreError) -> Int {
    guard binding != nil else { throw .notBound }
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .unknownCard(id) }
    return index
  }

  private mutating func nextName() -> Int {
    lastName += 1
    return lastName
  }

  mutating func insert(
    _ id: String, _ image: CardImage, _ keys: [PaymentKeys], _ threshold: Int, _ issuer: String?,
    _ signingKey: CardSigningKey?
  ) {
    let accounts = image.applications.map { _ in Account() }
    let named = issuer.flatMap { $0.isEmpty ? nil : $0 }
    entries.append(
      Entry(
        place: nextName(), id: id, image: image, threshold: threshold, issuer: named, signingKey: signingKey,
        accounts: accounts, cardState: CardState(of: image)))
    append(keys, to: entries.count - 1)
    defaultID = defaultID ?? id
  }

  mutating func append(_ keys: [PaymentKeys], to index: Int) {
    for (application, batch) in keys.enumerated() {
      entries[index].accounts[application].keyKind = batch.kind
      for part in batch.parts {
        let key = Key(name: nextName(), batch: part.batch, material: part.material)
        entries[index].accounts[application].keys.append(key)
      }
    }
  }

  /// Whether a card has a use of a key whose first counter is below that of the application.
  func hasKeys(_ index: Int, below counters: [Int]) -> Bool {
    zip(entries[index].accounts, counters).contains { account, counter in
      account.keys.contains { $0.batch.isEnded(below: counter) }
    }
  }

  /// Removes the keys of a card whose first counter is below that of the application.
  mutating func removeKeys(_ index: Int, below counters: [Int]) {
    let entry = entries[index]
    for (application, counter) in zip(entry.accounts.indices, counters) {
      let ended = entry.accounts[application].keys.map(\.batch).filter { $0.firstCounter < counter }
      let free = ended.freeCounter(from: nextCounter(entry, application))
      entries[index].accounts[application].floor = max(entry.accounts[application].floor, free)
      for place in entry.accounts[application].keys.indices
      where entry.accounts[application].keys[place].batch.firstCounter < counter {
        entries[index].accounts[application].keys[place].batch.usesLeft = 0
      }
    }
    prune(index, at: nil)
  }

  /// The lowest counter that is neither used nor reserved.
  private func nextCounter(_ entry: Entry, _ application: Int) -> Int {
    let reserved = reservations.values.filter { $0.card == entry.place }.map { Int($0.taken[application].counter) }
    return max(entry.accounts[application].floor, (reserved.max() ?? 0) + 1)
  }

  /// The payments that an application has approved without its issuer, and those that reservations count.
  private func approved(_ entry: Entry, _ application: Int) -> OfflineApprovals {
    reservations.values.filter { $0.card == entry.place }
      .reduce(entry.cardState.applications[application].offline) { $0 + $1.taken[application].offline }
  }

  func digitalCard(_ entry: Entry, at now: WallTime) -> DigitalCard {
    let rows = entry.accounts.enumerated().map { ($0, $1.keys.map(\.batch), nextCounter(entry, $0)) }
    return DigitalCard(
      id: entry.id, image: entry.image, state: entry.state, isDefault: entry.id == defaultID,
      keys: rows.flatMap { application, batches, next in batches.statuses(of: application, from: next, at: now) },
      keyKinds: entry.accounts.map(\.keyKind),
      replenishmentThreshold: entry.threshold,
      freeCounters: rows.map { _, batches, next in batches.freeCounter(from: next) },
      customDirectory: entry.customDirectory, walletData: entry.walletData, number: Int64(entry.place),
      issuer: entry.issuer, cardState: entry.cardState,
      offline: entry.accounts.indices.map { approved(entry, $0) })
  }

  mutating func take(_ id: String, at now: WallTime) throws(WalletStoreError) -> (ReservationID, Entry, [Taken]) {
    let index = try index(of: id)
    let entry = entries[index]
    guard entry.state == .active else { throw .cardNotActive(entry.state) }
    var (places, taken): ([Int], [Taken]) = ([], [])
    for (application, account) in entry.accounts.enumerated() {
      let next = nextCounter(entry, application)
      guard let use = account.keys.map(\.batch).nextUse(from: next, at: now) else { throw .noUseLeft }
      places.append(use.place)
      let offline = entry.image.applications[application].offlineApproval?.allowance(
        after: approved(entry, application))
      taken.append(Taken(key: account.keys[use.place], counter: use.counter, offline: offline ?? .none))
    }
    for (application, place) in places.enumerated() {
      entries[index].accounts[application].keys[place].batch.usesLeft -= 1
    }
    let name = ReservationID(rawValue: UInt64(nextName()))
    reservations[name] = Reservation(card: entry.place, taken: taken)
    binding?.count += 1
    return (name, entry, taken)
  }

  mutating func settle(_ name: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome) {
    guard let ended = reservations.removeValue(forKey: name),
      let index = entries.firstIndex(where: { $0.place == ended.card })
    else { return }
    for application in spent { entries[index].cardState.count(outcome, of: application) }
    for (application, use) in ended.taken.enumerated() {
      if spent.contains(application) {
        entries[index].accounts[application].floor = max(
          entries[index].accounts[application].floor, Int(use.counter) + 1)
      } else {
        release(use, application, of: index)
      }
    }
    prune(index, at: nil)
  }

  /// Makes the changes of an issuer's script. An unknown card is ignored.
  mutating func apply(_ changes: [CardStateChange], toCard number: Int64) {
    guard let index = entries.firstIndex(where: { Int64($0.place) == number }) else { return }
    for change in changes { entries[index].cardState.apply(change) }
    if entries[index].cardState.isBlocked { set(.retired, at: index) }
    guard changes.contains(where: \.isBlock) else { return }
    for name in reservations.keys where reservations[name]?.card == entries[index].place {
      reservations[name]?.isBlocked = true
    }
  }

  /// Releases a use. The use of a key that has expired and was removed since is lost.
  private mutating func release(_ use: Taken, _ application: Int, of index: Int) {
    let place = entries[index].accounts[application].keys.firstIndex { $0.name == use.key.name }
    if let place { entries[index].accounts[application].keys[place].batch.usesLeft += 1 }
  }

  /// Removes used-up keys and, when a moment is given, expired ones. Reserved keys stay.
  mutating func prune(_ index: Int, at now: WallTime?) {
    let place = entries[index].place
    let reserved = Set(reservations.values.filter { $0.card == place }.flatMap { $0.taken.map(\.key.name) })
    for application in entries[index].accounts.indices {
      entries[index].accounts[application].keys.removeAll { key in
        let isExpired = now.map { key.batch.isExpired(at: $0) } ?? false
        return !reserved.contains(key.name) && (key.batch.usesLeft == 0 || isExpired)
      }
    }
  }

  mutating func wipe(isKeyLost: Bool) {
    (binding, entries, defaultID, reservations) = (nil, [], nil, [:])
    latestDate = WallTime(seconds: 0)
    self.isKeyLost = isKeyLost
  }
}
