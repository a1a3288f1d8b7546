internal import Dispatch
internal import Synchronization

/// Holds the first command of a tap on the card's thread until its session releases it.
final class HeldCommands: Sendable {
  private struct HeldCommand {
    var isHolding = false
    var number = 0
    var isWaiting = false
  }

  private let held = Mutex(HeldCommand())
  private let released = DispatchSemaphore(value: 0)

  /// From now on the first command of each tap waits.
  func hold() { held.withLock { $0.isHolding = true } }

  /// Returns the number of a command that must wait; nil while commands are not held.
  func begin() -> Int? {
    held.withLock { held -> Int? in
      guard held.isHolding else { return nil }
      held.number += 1
      held.isWaiting = true
      return held.number
    }
  }

  /// Blocks until the command for which `begin` returned a number is released.
  func wait() { released.wait() }

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
      held.isHolding = false
      defer { held.isWaiting = false }
      return held.isWaiting
    }
    if wakes { released.signal() }
  }
}
