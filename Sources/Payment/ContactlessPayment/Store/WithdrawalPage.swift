internal import Glibc
internal import Octets
package import POSIX
internal import Synchronization

/// The page by which the withdrawals of a wallet and the armed cards of all its processes agree.
///
/// An armed card announces each command, compares the count of withdrawals with the one of its arming, computes, compares
/// again, responds, and takes the announcement back. A withdrawal raises the count before and after it is stored, and is
/// acknowledged when no card that was announced then still is. All accesses are sequentially consistent, so either the card
/// sees the count, or the withdrawal sees the announcement.
public final class WithdrawalPage: Sendable {
  /// The counts: the first for withdrawals of the whole wallet, then those of the cards, by their numbers.
  private static let (walletPlace, cardPlaces) = (0, 1..<16)
  /// Two numbers for each announced card: its process, and an odd number while it is announced.
  private static let announcementPlaces = stride(from: 16, to: SharedPage.count, by: 2)
  /// How many cards can be armed at the same time: 248.
  public static let capacity = announcementPlaces.underestimatedCount

  private let page: SharedPage
  private let path: String?
  /// The announcements of a page in the memory of this process.
  private let taken = Mutex<Set<Int>>([])

  /// Creates a page for a store in the memory of this process.
  package init() { (page, path) = (SharedPage(), nil) }

  /// Maps the page of a store in a folder, and creates it when it is missing.
  ///
  /// - Throws: The error of the system; `ENOTSUP` on a network file system.
  package init(mapping path: String) throws(SystemError) {
    (page, self.path) = (try SharedPage(mapping: path), path)
    // An empty page, as one whose file was truncated, has no count of a page that is in use.
    page.initialize(Self.walletPlace, to: 1)
  }

  /// Whether the page is still the one in its folder.
  package var isInPlace: Bool { path.map(page.isMapped(from:)) ?? true }

  /// The number of withdrawals that concern a card.
  func count(ofCard number: Int64) -> UInt64 { count(at: Self.place(ofCard: number)) }

  /// The same, at the place of the card.
  func count(at place: Int) -> UInt64 { page.sum(Self.walletPlace, place) }

  /// Raises the count for a card, or for the whole wallet.
  func raise(forCard number: Int64?) { page.raise(number.map(Self.place) ?? Self.walletPlace) }

  /// The place of the count of a card.
  static func place(ofCard number: Int64) -> Int {
    cardPlaces.lowerBound + Int(number.magnitude % UInt64(cardPlaces.count))
  }
}

// The side of an armed card.
extension WithdrawalPage {
  /// Takes the place of an announcement for a card.
  ///
  /// - Throws: `WalletStoreError.storage` when `capacity` cards are armed, or when the page cannot be locked.
  func announcement() throws(WalletStoreError) -> CardAnnouncement {
    if let path { return try announcement(lockedAt: path) }
    let free = taken.withLock { taken in
      let free = Self.announcementPlaces.first { !taken.contains($0) }
      if let free { taken.insert(free) }
      return free
    }
    guard let free else { throw Self.full }
    return CardAnnouncement(of: page, at: free, nil) { [weak self] in _ = self?.taken.withLock { $0.remove(free) } }
  }

  private func announcement(lockedAt path: String) throws(WalletStoreError) -> CardAnnouncement {
    do throws(SystemError) {
      let locks = try ByteLocks(of: path)
      for place in Self.announcementPlaces where try locks.lock(Int64(place)) {
        return CardAnnouncement(of: page, at: place, locks)
      }
    } catch { throw .storage("\(path) cannot be locked: \(error)") }
    throw Self.full
  }

  private static let full = WalletStoreError.storage("\(capacity) cards of this wallet are armed: end a payment first")
}

// The side of a withdrawal.
extension WithdrawalPage {
  /// How long a withdrawal waits for cards that answer a command.
  static let patience = Duration.seconds(1)

  /// Waits until no card that is announced now is announced any longer. Blocks for `patience` at most.
  ///
  /// - Returns: The processes of the cards that stay announced, as of processes that were stopped.
  func processesStillAnswering() -> [Int32] {
    let locks = path.flatMap { try? ByteLocks(of: $0) }
    var announced = Self.announcementPlaces.map { (place: $0, number: page.load($0 + 1)) }.filter { $0.number & 1 == 1 }
    let end = SystemClock().now + Self.patience
    while true {
      announced.removeAll { announced in
        // Of a process that is gone, nothing is locked.
        page.load(announced.place + 1) != announced.number || locks?.isLocked(Int64(announced.place)) == false
      }
      guard !announced.isEmpty, SystemClock().now < end else { break }
      usleep(1000)
    }
    return announced.map { Int32(truncatingIfNeeded: page.load($0.place)) }
  }
}

/// The announcement of one armed card. Its card's thread uses it.
final class CardAnnouncement: Sendable {
  private let page: SharedPage
  private let place: Int
  private let locks: ByteLocks?
  private let release: @Sendable () -> Void

  /// - Parameters:
  ///   - locks: Has the lock of the place, which ends with the process; nil for a page of this process.
  ///   - release: Called when the place is free again.
  fileprivate init(
    of page: SharedPage, at place: Int, _ locks: consuming ByteLocks?, release: @escaping @Sendable () -> Void = {}
  ) {
    self.page = page
    self.place = place
    self.locks = locks
    self.release = release
    // A process that was killed may have left an announcement.
    if isAnnounced { takeBack() }
    page.store(UInt64(UInt32(bitPattern: getpid())), at: place)
  }

  deinit {
    if isAnnounced { takeBack() }
    release()
  }

  private var isAnnounced: Bool { page.load(place + 1) & 1 == 1 }

  /// Announces a command.
  func announce() { page.raise(place + 1) }

  /// Takes the announcement back.
  func takeBack() { page.raise(place + 1) }
}
