internal import Dispatch
internal import EMVCard
internal import Links
internal import Synchronization

/// What the card's thread tells its session.
enum CardNotice: Sendable {
  /// A terminal's command waits for the end of the verification.
  case held(Int)
  /// The first command of a tap.
  case terminalCame
  /// The field went away; with what had been computed by then, and whether the terminal had asked for registered
  /// applications and found none.
  case terminalLeft(TransactionRecord?, foundNothing: Bool)
  /// The verification was too old.
  case refusedExpired
  /// The payment is complete.
  case completed(TransactionRecord)
  /// The thread has ended: with the link's error, if it failed, and what had been computed.
  case linkEnded(LinkError?, TransactionRecord?)
}

/// The one meeting point of a session and its card's thread: armings go in, notices come out.
final class CardExchange: Sendable {
  private struct Hatch: ~Copyable {
    var arming: Arming?
  }

  private struct Hold {
    var number = 0
    var isWaiting = false
  }

  // The flags keep the locks off the byte path: they are looked at once per command.
  private let hasArming = Atomic<Bool>(false)
  private let hatch = Mutex(Hatch(arming: nil))
  private let isHolding = Atomic<Bool>(false)
  private let present = Mutex(Hold())
  private let released = DispatchSemaphore(value: 0)
  private let continuation: AsyncStream<CardNotice>.Continuation
  let notices: AsyncStream<CardNotice>

  init() {
    (notices, continuation) = AsyncStream.makeStream()
  }

  func put(_ arming: consuming Arming) {
    var given: Arming? = consume arming
    hatch.withLock { hatch in hatch.arming = given.take() }
    hasArming.store(true, ordering: .releasing)
  }

  func take() -> Arming? {
    guard hasArming.exchange(false, ordering: .acquiring) else { return nil }
    return hatch.withLock { $0.arming.take() }
  }

  func tell(_ notice: CardNotice) { continuation.yield(notice) }

  func finish() { continuation.finish() }

  // MARK: Holding

  /// From now on the card's thread waits with the first command of each tap.
  func hold() { isHolding.store(true, ordering: .releasing) }

  /// The card's thread: waits, if commands are held, until they are released.
  func waitWhileHeld() {
    guard isHolding.load(ordering: .acquiring) else { return }
    let number = present.withLock { hold -> Int? in
      // Looked at again under the lock, so that no release comes between.
      guard isHolding.load(ordering: .acquiring) else { return nil }
      hold.number += 1
      hold.isWaiting = true
      return hold.number
    }
    guard let number else { return }
    tell(.held(number))
    released.wait()
  }

  /// Lets one command go on that has waited for long enough; a later one waits again.
  func release(_ number: Int) {
    let wakes = present.withLock { hold in
      guard hold.isWaiting, hold.number == number else { return false }
      hold.isWaiting = false
      return true
    }
    if wakes { released.signal() }
  }

  /// Lets commands go on: the one that waits, and all that come.
  func releaseForGood() {
    let wakes = present.withLock { hold in
      isHolding.store(false, ordering: .releasing)
      defer { hold.isWaiting = false }
      return hold.isWaiting
    }
    if wakes { released.signal() }
  }
}
