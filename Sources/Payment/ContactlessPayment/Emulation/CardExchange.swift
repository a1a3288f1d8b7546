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
  /// terminal selected payment applications and the card has none of them, or when it lacks a capability that they need.
  case terminalLeft(FieldEvent, TransactionRecord?, foundNothing: Bool)
  /// The armed card refused to compute.
  case refused(CardRefusal)
  /// The payment is complete.
  case completed(TransactionRecord)
  /// The command that the card was answering when it was revoked is answered: the card computes no more. With its
  /// latest cryptogram.
  case stopped(TransactionRecord?)
  /// The link has ended, with its error if it failed, and the card's latest cryptogram. The last notice.
  case linkEnded(LinkError?, TransactionRecord?)
}

/// Passes armings from a session to its card's thread and notices back.
final class CardExchange: Sendable {
  private struct ArmingSlot: ~Copyable {
    var arming: Arming?
  }

  // Keeps the lock off the byte path: the card's thread reads it once per command. Set while an arming waits, and for
  // good by a revocation.
  private let order = Atomic<Bool>(false)
  private let slot = Mutex(ArmingSlot(arming: nil))
  private let revocation = RevocationFlag()
  private let held = HeldCommands()
  /// The notices from the card's thread to the session.
  let notices = NoticeQueue()

  /// Leaves an arming for the card; it replaces one that was not taken. A revoked card gets none.
  func put(_ arming: consuming Arming) {
    var given: Arming? = consume arming
    slot.withLock { slot in slot.arming = given.take() }
    order.store(true, ordering: .releasing)
    if revocation.isRevoked { discard() }
  }

  private func discard() { slot.withLock { slot in slot.arming = nil } }

  /// Whether an arming waits, or the card was revoked. One load, without a lock.
  var hasOrder: Bool { order.load(ordering: .acquiring) }

  /// Takes the arming out; nil when no arming waits.
  func take() -> Arming? {
    // A load first: an exchange locks the memory bus, and there rarely is an arming.
    guard order.load(ordering: .relaxed), order.exchange(false, ordering: .acquiringAndReleasing) else { return nil }
    // A revocation that came in between has set it before or sets it again.
    if revocation.isRevoked { order.store(true, ordering: .releasing) }
    return slot.withLock { $0.arming.take() }
  }

  func send(_ notice: consuming CardNotice) { notices.send(notice) }

  // MARK: Revocation

  /// Whether the keys were taken from the card.
  var isRevoked: Bool { revocation.isRevoked }

  /// Takes the keys from the card, for good: its next command finds none.
  ///
  /// - Returns: Whether the card may have spent a use that is not settled. A later notice, at the latest that of the end
  ///   of the link, has the cryptogram then.
  @discardableResult
  func revoke() -> Bool {
    let mayHaveSpent = revocation.revoke()
    order.store(true, ordering: .releasing)
    discard()
    return mayHaveSpent
  }

  /// Begins a command. Returns false when the card was revoked.
  func beginCommand() -> Bool { revocation.begin() }

  /// Ends a command.
  ///
  /// - Parameter holdsCryptogram: Whether the card has given a cryptogram since it was armed.
  /// - Returns: False when the card was revoked since the command began: `CardNotice.stopped` must follow.
  func endCommand(holdingCryptogram holdsCryptogram: Bool) -> Bool {
    revocation.end(holdingCryptogram: holdsCryptogram)
  }

  /// The use of the latest cryptogram is settled.
  func cryptogramSettled() { revocation.settle() }

  // MARK: Holding

  /// From now on the first command of each tap waits.
  func hold() { held.hold() }

  /// Waits, if commands are held, until the command is released. Blocks the card's thread.
  func waitWhileHeld() {
    if let number = held.begin() {
      send(.held(number))
      held.wait()
    }
  }

  /// Releases one command, if it still waits; a later one waits again.
  func release(_ number: Int) { held.release(number) }

  /// Stops holding: releases the command that waits, and later ones do not wait.
  func releaseForGood() { held.releaseForGood() }
}
