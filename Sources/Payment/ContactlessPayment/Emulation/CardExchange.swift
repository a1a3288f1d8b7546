internal import EMVCard
internal import ISO7816
internal import Links
internal import Synchronization

/// A notice from the card's thread to its session.
enum CardThreadEvent: Sendable {
  /// A terminal's command waits until the session releases it. The number identifies the command.
  case held(Int)
  /// The first command of a tap was answered.
  case terminalCame
  /// The card was reset or deselected, or lost its field, with its latest cryptogram. `foundNothing` is true when the
  /// terminal selected payment applications and the card has none of them, or when it lacks a capability that they need.
  case terminalLeft(FieldEvent, TransactionRecord?, foundNothing: Bool)
  /// The armed card refused to compute.
  case refused(CardRefusal)
  /// The terminal has all data of an online payment; the card awaits its issuer's response.
  case presented(TransactionRecord)
  /// The payment is complete.
  case completed(TransactionRecord)
  /// The command that the card was answering when it was revoked is answered: the card computes no more. With its
  /// latest cryptogram.
  case stopped(TransactionRecord?)
  /// The link has ended, with its error if it failed, and the card's latest cryptogram. The last notice.
  case linkEnded(LinkError?, TransactionRecord?)
}

/// Passes armings from a session to its card's thread and notices back, and separates the commands that a card answers
/// with its keys from the revocation of the keys: each command either ends before the revocation, or its end reports the
/// revocation, or it does not begin.
final class CardExchange: Sendable {
  /// What a command may do with the keys.
  enum CommandPermission {
    /// The card was revoked: its keys are gone, and the command has no end.
    case revoked
    /// The card may compute with the keys that it has.
    case permitted
    /// The card may compute, and an arming waits for it.
    case armingWaits
  }

  private struct Keys: ~Copyable {
    /// An arming that the card has not taken.
    var arming: Arming?
    /// The rights of the arming.
    var rights: ArmedRights?
    /// Whether `arming` is set. A flag of its own, since each command reads it.
    var hasArming = false
    var isRevoked = false
    var isAnswering = false
    /// Whether the card has given a cryptogram whose use is not settled.
    var holdsCryptogram = false
  }

  // Never locked while the card computes.
  private let keys = Mutex(Keys())
  private let held = HeldCommands()
  /// The notices from the card's thread to the session.
  let notices = CardEventQueue()

  /// Leaves an arming for the card; it replaces one that was not taken. A revoked card gets none.
  func put(_ arming: consuming Arming, _ rights: ArmedRights? = nil) {
    var given: Arming? = consume arming
    keys.withLock { keys in
      if !keys.isRevoked {
        keys.arming = given.take()
        keys.rights = rights
        keys.hasArming = true
      }
    }
  }

  /// Takes the arming out, after which no cryptogram is reported until the card gives another; nil when no arming waits.
  ///
  /// - Parameter rights: Receives the rights of the arming.
  func take(_ rights: inout ArmedRights?) -> Arming? {
    var taken: ArmedRights?
    let arming = keys.withLock { keys -> Arming? in
      guard let arming = keys.arming.take() else { return nil }
      taken = keys.rights.take()
      keys.hasArming = false
      keys.holdsCryptogram = false
      return arming
    }
    if arming != nil { rights = taken }
    return arming
  }

  /// Drops an arming that the card has not taken. Returns whether there was one.
  @discardableResult
  func dropArming() -> Bool {
    var unused: ArmedRights?
    return take(&unused) != nil
  }

  func send(_ notice: consuming CardThreadEvent) { notices.send(notice) }

  // MARK: Revocation

  /// Whether the keys were taken from the card.
  var isRevoked: Bool { keys.withLock { $0.isRevoked } }

  /// Takes the keys from the card, for good: its next command finds none.
  ///
  /// - Returns: Whether the card may have spent a use that is not settled. A later notice, at the latest that of the end
  ///   of the link, has the cryptogram then.
  @discardableResult
  func revoke() -> Bool {
    keys.withLock { keys in
      keys.isRevoked = true
      keys.arming = nil
      keys.rights = nil
      keys.hasArming = false
      return keys.isAnswering || keys.holdsCryptogram
    }
  }

  /// Begins a command. The command of a revoked card has no end.
  func beginCommand() -> CommandPermission {
    keys.withLock { keys in
      guard !keys.isRevoked else { return .revoked }
      keys.isAnswering = true
      return keys.hasArming ? .armingWaits : .permitted
    }
  }

  /// Ends a command.
  ///
  /// - Parameter gaveCryptogram: Whether the response has a cryptogram.
  /// - Returns: False when the card was revoked since the command began: `CardThreadEvent.stopped` must follow.
  func endCommand(givingCryptogram gaveCryptogram: Bool) -> Bool {
    keys.withLock { keys in
      keys.isAnswering = false
      if gaveCryptogram { keys.holdsCryptogram = true }
      return !keys.isRevoked
    }
  }

  /// The use of the latest cryptogram is settled.
  func cryptogramSettled() { keys.withLock { $0.holdsCryptogram = false } }

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
