public import EMVCard
public import EMVCryptography

/// Why a store could not do what it was asked. Nothing was changed.
public enum WalletStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No card has this name.
  case unknownCard(String)
  /// A card has this name already.
  case cardExists(String)
  /// A name that is empty or longer than 64 characters.
  case invalidName(limit: Int)
  /// The keys do not match the card's applications.
  case wrongKeys(applications: Int, keys: Int)
  /// More single-use keys at once than a batch has.
  case tooManyKeys(limit: Int)
  /// A threshold outside 0...65535.
  case invalidThreshold(Int)
  /// An application needs a key for a role that the batch has no key for.
  case noKey(PaymentKeyRole)
  /// Single-use keys for an application whose key waits for the terminal, or that has mag-stripe mode.
  case singleUseKeysImpossible(CryptogramVersion)
  /// A card that may not pay.
  case cardNotActive(DigitalCard.State)
  /// The card's state does not allow what was asked.
  case stateForbids(CardAction, DigitalCard.State)
  /// An application has no use left, or its counter has come to its end.
  case noUseLeft
  /// The image was not read from a profile in JSON, so it could not be compiled again.
  case noProfile
  /// The store was written by a newer version of this engine.
  case newerStore(version: Int, supported: Int)
  /// The store's content is damaged, or is not a wallet's.
  case corrupt(String)
  /// The store or its folder cannot be written, or not be opened at all.
  case notWritable(String)
  /// The disk is full.
  case full(String)
  /// Another process kept the store locked for too long.
  case busy(seconds: Int)
  /// The storage failed in another way.
  case storage(String)

  /// A sentence.
  public var description: String {
    switch self {
    case .unknownCard(let id): "the wallet has no card \"\(id)\""
    case .cardExists(let id): "the wallet has a card \"\(id)\" already"
    case .invalidName(let limit): "a card's name has 1...\(limit) characters, and no control characters"
    case .wrongKeys(let applications, let keys):
      "\(keys) batches of keys for \(applications) applications: one batch each is needed"
    case .tooManyKeys(let limit): "a batch has \(limit) single-use keys at most"
    case .invalidThreshold(let threshold): "a threshold of \(threshold) payments: the range is 0...65535"
    case .noKey(let role): "the card needs a key for \(role.rawValue), and the batch has none"
    case .singleUseKeysImpossible(let version):
      "single-use keys cannot be made for \(version) with a key that waits for the terminal: take limited-use keys"
    case .cardNotActive(.retired): "the card is retired: it was stopped for good"
    case .cardNotActive(let state): "the card is \(state.rawValue): resume or activate it first"
    case .stateForbids(let action, let state): state.refusal(of: action)
    case .noUseLeft: "no payment key is left: replenish the card"
    case .noProfile: "only a card that was read from a profile in JSON can be stored"
    case .newerStore(let version, let supported):
      "the wallet store has version \(version), this program knows up to \(supported): use a newer program"
    case .corrupt(let reason): "the wallet store is damaged, nothing was changed: \(reason)"
    case .notWritable(let path): "\(path) cannot be opened for writing: check its owner and permissions"
    case .full(let path): "no room is left for \(path), nothing was changed: free some and try again"
    case .busy(let seconds): "another process has held the wallet store for \(seconds) s: try again"
    case .storage(let reason): "the wallet store failed: \(reason)"
    }
  }
}

/// The port to the place that keeps a wallet's cards, keys and counters.
///
/// Every call is one durable transaction. A reservation that is found at start-up counts as spent: a crash can lose a
/// payment, never repeat a key.
public protocol WalletStore: Sendable {
  /// All cards, in the order in which they came.
  func cards() throws(WalletStoreError) -> [DigitalCard]

  /// Adds an active card; the first becomes the default.
  ///
  /// - Parameters:
  ///   - id: The card's name, 1...64 characters, none of them a control character.
  ///   - image: What it answers terminals with.
  ///   - keys: A batch per application of the image, in its order.
  ///   - threshold: The card needs replenishment when so many payments are left, or fewer: 0...65535.
  func add(_ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int) throws(WalletStoreError)

  /// Adds batches of keys to a card: all of them or none. What is used up or expired goes.
  ///
  /// - Parameters:
  ///   - keys: One per application of the image, in its order.
  ///   - id: The card.
  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError)

  /// Takes a card from its state to another, as `DigitalCard.State.after` has it. What another process does to the card
  /// comes before or after, never between the look at the state and its change.
  ///
  /// - Throws: `WalletStoreError.stateForbids` when the state does not allow it.
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError)

  /// Sets whether a card may pay, whatever its state was.
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError)

  /// Makes a card the default.
  func setDefault(_ id: String) throws(WalletStoreError)

  /// Keeps the directory that a card answers with in the place of its image's; nil takes it away. Any octets: who sets
  /// them checks them.
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError)

  /// Keeps what the wallet adds to a card's issuer application data; nil takes it away. Any octets: who sets them
  /// checks them.
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError)

  /// Removes a card with its keys, counters and reservations. A default card that goes leaves no default.
  func delete(_ id: String) throws(WalletStoreError)

  /// Takes one use of every application of an active card out of the store.
  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses

  /// Ends a reservation: the uses named are spent for good, the others come back. Unknown reservations are ignored.
  ///
  /// - Parameters:
  ///   - reservation: What `reserve` named.
  ///   - spent: The places of the applications whose use was touched.
  func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError)

  /// Removes all cards, keys, counters and reservations.
  func wipe() throws(WalletStoreError)
}

extension WalletStore {
  /// Adds an active card with a limited-use key for each application and the standard threshold.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletStoreError) {
    try add(
      id, image, keys: keys.map(PaymentKeys.limitedUse), threshold: DigitalCard.standardReplenishmentThreshold)
  }
}
