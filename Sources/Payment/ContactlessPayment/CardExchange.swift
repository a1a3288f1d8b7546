internal import EMVCard
internal import Links
internal import Synchronization

/// What the card's thread tells its session.
enum CardNotice: Sendable {
  /// The first command of a tap.
  case terminalCame
  /// The field went away; with what had been computed by then.
  case terminalLeft(TransactionRecord?)
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

  // The flag keeps the lock off the byte path: it is looked at once per command.
  private let hasArming = Atomic<Bool>(false)
  private let hatch = Mutex(Hatch(arming: nil))
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
}
