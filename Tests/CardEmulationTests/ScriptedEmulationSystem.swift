import CardEmulation
import Synchronization

/// A device whose answers a test sets.
final class ScriptedEmulationSystem: EmulationSystem {
  private let state = Mutex<(obstacle: EmulationObstacle?, shown: [EmulationStatus])>((nil, []))

  /// Creates a device that allows emulation.
  init() {}

  /// Changes what forbids emulation from now on.
  func set(_ obstacle: EmulationObstacle?) { state.withLock { $0.obstacle = obstacle } }

  /// The statuses that the user was shown, in order.
  var shown: [EmulationStatus] { state.withLock { $0.shown } }

  /// The obstacle that was set last.
  func obstacle() -> EmulationObstacle? { state.withLock { $0.obstacle } }

  /// Appends the status to `shown`.
  func emulationStopped(with status: EmulationStatus) { state.withLock { $0.shown.append(status) } }
}
