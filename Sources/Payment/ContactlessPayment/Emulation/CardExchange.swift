internal import Dispatch
internal import EMVCard
internal import ISO7816
internal import Links
internal import Synchronization

/// A notice from the card's thread to its session.
enum CardNotice: Sendable {
  /// A terminal's command waits until the session releases it. The number identifies the command.
  case held(Int)
  /// The first command of a tap was answered.
  case terminalCame
  /// The card was reset or deselected, or lost its field, with its latest cryptogram. `foundNothing` is true when the
  /// terminal selected registered applications and the card has none of them.
  case terminalLeft(FieldEvent, TransactionRecord?, foundNothing: Bool)
  /// The armed card refused to compute.
  case refused(CardRefusal)
  /// The payment is complete.
  case completed(TransactionRecord)
  /// The link has ended, with its error if it failed, and the card's latest cryptogram. The last notice.
  case linkEnded(LinkError?, TransactionRecord?)
}

/// Passes armings from a session to its card's thread and notices back.
final class CardExchange: Sendable {
  private struct ArmingSlot: ~Copyable {
    var arming: Arming?
  }

  private struct HeldCommand {
    var number = 0
    var isWaiting = false
  }

  // The flags keep the locks off the byte path: the card's thread reads them once per command.
  private let hasArming = Atomic<Bool>(false)
  private let slot = Mutex(ArmingSlot(arming: nil))
  private let isHolding = Atomic<Bool>(false)
  private let held = Mutex(HeldCommand())
  private let released = DispatchSemaphore(value: 0)
  private let continuation: AsyncStream<CardNotice>.Continuation
  let notices: AsyncStream<CardNotice>

  init() {
    (notices, continuation) = AsyncStream.makeStream()
  }

  /// Leaves an arming for the card; it replaces one that was not taken.
  func put(_ arming: consuming Arming) {
    var given: Arming? = consume arming
    slot.withLock { slot in slot.arming = given.take() }
    hasArming.store(true, ordering: .releasing)
  }

  /// Takes the arming out; nil when no arming waits.
  func take() -> Arming? {
    guard hasArming.exchange(false, ordering: .acquiring) else { return nil }
    return slot.withLock { $0.arming.take() }
  }

  func send(_ notice: CardNotice) { continuation.yield(notice) }

  /// Ends the notices.
  func finish() { continuation.finish() }

  // MARK: Holding

  /// From now on the first command of each tap waits.
  func hold() { isHolding.store(true, ordering: .releasing) }

  /// Waits, if commands are held, until the command is released. Blocks the card's thread.
  func waitWhileHeld() {
    guard isHolding.load(ordering: .acquiring) else { return }
    let number = held.withLock { held -> Int? in
      // Read again under the lock: the commands may have been released since.
      guard isHolding.load(ordering: .acquiring) else { return nil }
      held.number += 1
      held.isWaiting = true
      return held.number
    }
    guard let number else { return }
    send(.held(number))
    released.wait()
  }

  /// Releases one command, if it still waits; a later one waits again.
  func release(_ number: Int) {
    let wakes = held.withLock { held in
      guard held.isWaiting, held.number == number else { return false }
      held.isWaiting = false
      return true
    }
    if wakes { released.signal() }
  }

  /// Stops holding: releases the command that waits, and later ones do not wait.
  func releaseForGood() {
    let wakes = held.withLock { held in
      isHolding.store(false, ordering: .releasing)
      defer { held.isWaiting = false }
      return held.isWaiting
    }
    if wakes { released.signal() }
  }
}
