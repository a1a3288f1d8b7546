public import DeviceAuthentication
public import EMVCard
public import EMVCryptography
public import Octets

/// Why a call of a store failed. Nothing was changed.
public enum WalletStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No card has this name.
  case unknownCard(String)
  /// A card has this name already.
  case cardExists(String)
  /// A name that is empty or longer than 64 characters.
  case invalidName(limit: Int)
  /// The keys do not match the card's applications.
  case wrongKeys(applications: Int, keys: Int)
  /// More single-use keys than a batch allows.
  case tooManyKeys(limit: Int)
  /// A threshold outside 0...65535.
  case invalidThreshold(Int)
  /// An application needs a key for a role that the batch has no key for.
  case noKey(PaymentKeyRole)
  /// Single-use keys for an application whose key depends on the terminal's unpredictable number, or that has
  /// mag-stripe mode.
  case singleUseKeysImpossible(CryptogramVersion)
  /// The card signs, as its certificates state, and no signing key was given.
  case signingKeyMissing
  /// The signing key is not that of the card's certificate, or the card makes no signatures.
  case signingKeyDiffers
  /// The issuer has blocked the card: its user cannot lift that.
  case blockedByIssuer
  /// Keys whose expiry is not later than the store's clock.
  case keysExpired(expiry: WallTime, now: WallTime)
  /// The state of the card does not allow it to pay or to be the default.
  case cardNotActive(DigitalCard.State)
  /// The card's state does not allow the action.
  case stateForbids(CardAction, DigitalCard.State)
  /// An application has no use left, or has used its last counter.
  case noUseLeft
  /// The store is not bound to a key of a device: the wallet must be configured first.
  case notBound
  /// The store is bound to a key of a device already.
  case alreadyBound
  /// The content of the store is sealed, and this object has not unlocked it, or the wallet was set up again since.
  case locked
  /// The sealed content does not open: the key is another device's, or the content was changed by another program.
  case notAuthentic
  /// The store has cards and no binding: an older version wrote it. Only a wipe is possible.
  case cardsWithoutBinding
  /// The image was not read from a profile in JSON, so it could not be compiled again.
  case noProfile
  /// The store was written by a newer version of this engine.
  case newerStore(version: Int, supported: Int)
  /// The store's content is damaged, or is not a wallet's.
  case corrupt(String)
  /// The store was removed while it was open, or another file has its place.
  case removed(String)
  /// The store or its folder cannot be opened or written.
  case notWritable(String)
  /// Other users can write the folder of the store, and could put an older file in the place of a newer one.
  case exposed(folder: String, mode: Int)
  /// The disk is full.
  case full(String)
  /// Another process locked the store for longer than the time limit.
  case busy(seconds: Int)
  /// The storage failed in another way.
  case storage(String)

  /// A sentence.
  public var description: String {
    switch self {
    case .unknownCard(let id): "the wallet has no card \"\(id)\""
    case .cardExists(let id): "the wallet has a card \"\(id)\" already"
    case .invalidName(let limit): "a card's name has 1...\(limit) characters, and no control characters"
    case .keysExpired(let expiry, let now):
      "keys that expired at \(Self.text(expiry)), now it is \(Self.text(now)): give an expiry in the future"
    case .wrongKeys(let applications, let keys):
      "\(keys) batches of keys for \(applications) applications: one batch each is needed"
    case .tooManyKeys(let limit): "a batch has \(limit) single-use keys at most"
    case .invalidThreshold(let threshold): "a threshold of \(threshold) payments: the range is 0...65535"
    case .noKey(let role): "the card needs a key for \(role.rawValue), and the batch has none"
    case .singleUseKeysImpossible(let version):
      "single-use keys cannot be made for \(version) with a key that waits for the terminal: take limited-use keys"
    case .signingKeyMissing: "the card signs, and its issuer has provisioned no signing key"
    case .signingKeyDiffers: "the signing key is not the one that the card's certificate certifies"
    case .blockedByIssuer: "the issuer has blocked the card: it declines every payment until the issuer lifts that"
    case .cardNotActive(.retired): "the card is retired: it can no longer pay or be the default"
    case .cardNotActive(let state): "the card is \(state.rawValue): resume or activate it first"
    case .stateForbids(let action, let state): state.refusal(of: action)
    case .noUseLeft: "no payment key is left: replenish the card"
    case .notBound: "the wallet is not set up: configure it first"
    case .alreadyBound: "the wallet is set up already: reset it first"
    case .locked: "the wallet's content is locked: configure the wallet, with the device that it was set up on"
    case .notAuthentic:
      "the wallet's content belongs to another device, or was changed outside of the wallet; nothing was changed now"
    case .cardsWithoutBinding:
      "an older version stored these cards without a key of the device: reset the wallet, then add its cards again"
    case .noProfile: "only a card that was read from a profile in JSON can be stored"
    case .newerStore(let version, let supported):
      "the wallet store has version \(version), this program knows up to \(supported): use a newer program"
    case .corrupt(let reason): "the wallet store is damaged, nothing was changed: \(reason)"
    case .removed(let path): "\(path) was removed, or replaced by another file: open the wallet again"
    case .notWritable(let path): "\(path) cannot be opened for writing: check its owner and permissions"
    case .exposed(let folder, let mode):
      "\(folder) has mode \(String(mode, radix: 8)), so that other users can replace the wallet: chmod go-w it"
    case .full(let path): "no space is left for \(path), nothing was changed: free some and try again"
    case .busy(let seconds): "another process has locked the wallet store for \(seconds) s: try again"
    case .storage(let reason): "the wallet store failed: \(reason)"
    }
  }

  /// A moment in ISO 8601; in seconds since 1970 outside the years 1 to 9999, which have no such text.
  private static func text(_ moment: WallTime) -> String {
    let years: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    return years.contains(moment.seconds) ? moment.iso8601 : "\(moment.seconds) s"
  }
}

/// The port to the storage of a wallet's cards, keys and counters.
///
/// Every call is one durable transaction. A reservation found at start-up counts as spent: a crash can lose a payment
/// but never repeats a key.
public protocol WalletStore: Sendable {
  /// Whether a call may wait, as for a disk or for another process; true unless the store overrides it. The calls of such
  /// a store run on a thread of their own, which costs two changes of the thread for each call.
  var mayBlock: Bool { get }

  /// Whether every change fails, as on a disk that cannot be written; false unless the store overrides it.
  var isReadOnly: Bool { get }

  /// Returns the policy and the key of the device to which the store is bound. Nil for a store that was not set up, or
  /// that was wiped.
  ///
  /// - Throws: `WalletStoreError.cardsWithoutBinding` for the cards of an older version, which had no binding.
  func binding() throws(WalletStoreError) -> WalletBinding?

  /// Binds an empty store to a policy and a key of the device, and unlocks it. A wipe ends the binding.
  ///
  /// - Parameters:
  ///   - binding: The policy and the key.
  ///   - dataKey: The 32 bytes of the device's key, under which a store on a disk seals its content.
  /// - Throws: `WalletStoreError.alreadyBound` or `.cardsWithoutBinding`.
  func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError)

  /// Makes the content of a bound store accessible to this object. Before it, every call but `binding` and `wipe` throws
  /// `WalletStoreError.locked` on a store that seals its content.
  ///
  /// - Parameter dataKey: The key of `bind`.
  /// - Throws: `WalletStoreError.notAuthentic` for another key, and for content that no wallet has written;
  ///   `.notBound` before `bind`.
  func unlock(with dataKey: borrowing Secret) throws(WalletStoreError)

  /// Returns the page by which withdrawals and the armed cards of all processes of the store agree; nil where there can be
  /// none. There is a default implementation, which returns nil: an armed card then finds a withdrawal when it reads the
  /// store.
  func withdrawals() -> WithdrawalPage?

  /// Returns all cards, in the order in which they were added.
  func cards() throws(WalletStoreError) -> [DigitalCard]

  /// Returns what a payment with an armed card depends on. Read every 25 ms while a card is armed, when `mayBlock` is
  /// true; there is a default implementation, which reads the binding and all cards.
  ///
  /// - Parameter number: The number of the card, which may have been removed.
  /// - Throws: `WalletStoreError.removed` when the store itself was removed.
  func status(ofCard number: Int64) throws(WalletStoreError) -> CardStatus

  /// Adds an active card. It becomes the default when no card is.
  ///
  /// - Parameters:
  ///   - id: The card's name, 1...64 characters, none of them a control character.
  ///   - image: The data with which it answers terminals.
  ///   - keys: One batch per application of the image, in its order. None may have expired.
  ///   - threshold: The card needs replenishment when this many payments are left, or fewer: 0...65535.
  ///   - issuer: The origin of its issuer's server; nil, or an empty text, for a card that no server issued.
  ///   - signingKey: The key that the certificates of the image certify; nil for a card that makes no signatures.
  /// - Throws: `WalletStoreError.notBound` before `bind`, `.signingKeyMissing` and `.signingKeyDiffers`.
  func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError)

  /// Adds batches of keys to a card, all of them or none, and removes used-up and expired keys.
  ///
  /// - Parameters:
  ///   - keys: One batch per application of the image, in its order. None may have expired.
  ///   - id: The card.
  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError)

  /// Removes the keys of a card that its issuer no longer accepts. Their counters count as used, so that no counter is
  /// granted twice. The key of a reservation stays until that ends.
  ///
  /// - Parameters:
  ///   - id: The card.
  ///   - counters: For each application, in the order of the image, the lowest counter whose keys stay, 1...65536.
  func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError)

  /// Changes a card's state as `DigitalCard.State.after` defines it. Reading and changing the state is one transaction.
  /// A card that is retired is no longer the default.
  ///
  /// - Throws: `WalletStoreError.stateForbids` when the state does not allow it.
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError)

  /// Sets a card's state, whatever it was. A card that is retired is no longer the default.
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError)

  /// Makes a card the default.
  ///
  /// - Throws: `WalletStoreError.cardNotActive` for a retired card.
  func setDefault(_ id: String) throws(WalletStoreError)

  /// Stores the directory that replaces the one of a card's image; nil removes it. The caller checks the bytes.
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError)

  /// Stores the wallet's part of a card's issuer application data; nil removes it. The caller checks the bytes.
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError)

  /// Removes a card with its keys, counters and reservations. After the removal of the default card no card is the
  /// default.
  func delete(_ id: String) throws(WalletStoreError)

  /// Takes the lock that a wallet holds while it counts a reservation on the device. It excludes every other wallet on
  /// this store, also of other processes. Does not wait.
  ///
  /// - Returns: Nil while another wallet has the lock.
  func lockCounting() throws(WalletStoreError) -> CountingLock?

  /// Stores how the count of the binding compares with the counter of the device's key. The caller has the counting lock.
  func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError)

  /// Raises the count of the binding by 1 when it is marked as `uncounted`, and ends that mark. The caller has the counting
  /// lock.
  ///
  /// Every call that takes a right away sets the mark in its own transaction: a change of a state that stops payments, the
  /// removal of a card or of keys, and what an issuer has changed in a card.
  func countWithdrawals() throws(WalletStoreError)

  /// Reserves one use of every application of an active card, and raises the count of the binding, in one transaction.
  ///
  /// The reservation also counts, for each application with `offlineApproval`, one payment without the issuer with the largest amount
  /// that `OfflineApproval.allowance` gives after the payments that were approved and those that other reservations count. A reservation
  /// that is never settled stays counted until the issuer is authenticated.
  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses

  /// Ends a reservation: the named uses are spent, the others are released. Unknown reservations are ignored.
  ///
  /// - Parameters:
  ///   - reservation: The reservation that `reserve` returned.
  ///   - spent: The positions of the applications whose use is spent.
  ///   - outcome: What the payment changes in the offline approvals of these applications, in the same transaction and in place of
  ///     what the reservation counts. `issuerAuthenticated` also ends what reservations of processes that have ended count.
  func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError)

  /// Makes the changes of an issuer's script in what is stored for a card now, in one transaction, before the card acknowledges them. An
  /// unknown card is ignored.
  ///
  /// A change with `isBlock` takes rights away: `status(ofCard:)` then returns `block` to every payment of the card that was reserved
  /// before. The payment that brought the script is the one whose reservation this store object has made. CARD BLOCK retires the card.
  ///
  /// - Parameters:
  ///   - changes: The changes, in the order of the script's commands.
  ///   - number: `DigitalCard.number`.
  func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError)

  /// Removes all cards, keys, counters and reservations, and the binding.
  ///
  /// - Parameter isKeyLost: Whether the device has lost the key of the binding. The store remembers it.
  func wipe(isKeyLost: Bool) throws(WalletStoreError)

  /// Replaces the latest date that the store has seen when it is later than that of an issuer: the clock was set forward. Keys
  /// expire by the clock, or by the latest date that the store has seen when that is later.
  func correctDate(to date: WallTime) throws(WalletStoreError)

  /// Returns the keys of former bindings that a reset could not delete from their device. There is a default implementation
  /// for a store that ends with its process, which keeps none.
  func formerKeys() throws(WalletStoreError) -> [KeyIdentifier]

  /// Keeps the key of a former binding, whose device was not reached.
  func addFormerKey(_ key: KeyIdentifier) throws(WalletStoreError)

  /// Forgets the key of a former binding, which its device has deleted.
  func removeFormerKey(_ key: KeyIdentifier) throws(WalletStoreError)

  /// Returns whether the store was wiped because the device had lost its key. Ends with `bind`, and with a wipe for
  /// another reason.
  func isKeyLost() throws(WalletStoreError) -> Bool
}

extension WalletStore {
  /// Ends a reservation of a payment that approved nothing without its issuer.
  public func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError) {
    try settle(reservation, spent: spent, counting: .none)
  }

  /// Lifts the blocks of the applications of a card for its issuer (APPLICATION UNBLOCK). The block of a whole card stays.
  ///
  /// - Throws: `WalletStoreError.unknownCard`, among others.
  public func unblockApplications(of id: String) throws(WalletStoreError) {
    guard let card = try cards().first(where: { $0.id == id }) else { throw .unknownCard(id) }
    try applyScript(
      card.image.applications.indices.map(CardStateChange.unblockApplication), toCard: card.number)
  }

  /// True.
  public var mayBlock: Bool { true }

  /// Nil.
  public func withdrawals() -> WithdrawalPage? { nil }

  /// False.
  public var isReadOnly: Bool { false }

  /// None.
  public func formerKeys() throws(WalletStoreError) -> [KeyIdentifier] { [] }

  /// Does nothing.
  public func addFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {}

  /// Does nothing.
  public func removeFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {}

  /// Reads the binding and all cards.
  public func status(ofCard number: Int64) throws(WalletStoreError) -> CardStatus {
    CardStatus(
      key: try binding()?.key.identifier, state: try cards().first(where: { $0.number == number })?.state)
  }

  /// Removes all cards, keys, counters and reservations, and the binding, of a device that has its key.
  public func wipe() throws(WalletStoreError) { try wipe(isKeyLost: false) }

  /// Adds an active card that makes no signatures.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String? = nil
  ) throws(WalletStoreError) {
    try add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: nil)
  }

  /// Adds an active card with a limited-use key for each application and the standard threshold.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletStoreError) {
    try add(
      id, image, keys: keys.map(PaymentKeys.limitedUse), threshold: DigitalCard.standardReplenishmentThreshold)
  }
}
