internal import Synchronization

/// The port to what a device says about emulation as such: may it be, and what the user is shown of it.
public protocol EmulationSystem: Sendable {
  /// What forbids emulation now, or nil. Asked at each `startEmulation(on:)`.
  func obstacle() -> EmulationObstacle?

  /// Emulation was stopped by the app; a device with a screen shows how it went.
  func emulationStopped(with status: EmulationStatus)
}

/// What can forbid emulation before it begins.
public enum EmulationObstacle: Equatable, Sendable, CaseIterable {
  /// The radio is switched off.
  case radioDisabled
  /// The user has not allowed it.
  case accessNotAccepted
  /// The device, its region or its app may not emulate cards.
  case systemEligibilityFailed
  /// Something else uses the radio.
  case systemNotAvailable

  var error: EmulationError {
    switch self {
    case .radioDisabled: EmulationError(.radioDisabled, "the radio is switched off: switch it on")
    case .accessNotAccepted: EmulationError(.accessNotAccepted, "the user has not allowed card emulation: ask again")
    case .systemEligibilityFailed:
      EmulationError(.systemEligibilityFailed, "this device or this app may not emulate cards")
    case .systemNotAvailable: EmulationError(.systemNotAvailable, "card emulation is in use: try again")
    }
  }
}

/// How emulation went, for the user's eyes.
public enum EmulationStatus: Equatable, Sendable {
  /// What the user wanted was done.
  case success
  /// It was not.
  case failure
}

/// A Linux machine with a reader: nothing forbids emulation, and nobody is shown anything.
public struct UnrestrictedEmulation: EmulationSystem {
  /// Creates the system.
  public init() {}

  /// Nothing.
  public func obstacle() -> EmulationObstacle? { nil }

  /// Shows nothing.
  public func emulationStopped(with status: EmulationStatus) {}
}

/// A device that a test plays.
public final class ScriptedEmulationSystem: EmulationSystem {
  private let state = Mutex<(obstacle: EmulationObstacle?, shown: [EmulationStatus])>((nil, []))

  /// Creates a device that allows emulation.
  public init() {}

  /// Changes what forbids emulation from now on.
  public func set(_ obstacle: EmulationObstacle?) { state.withLock { $0.obstacle = obstacle } }

  /// What the user was shown, in order.
  public var shown: [EmulationStatus] { state.withLock { $0.shown } }

  /// What was set last.
  public func obstacle() -> EmulationObstacle? { state.withLock { $0.obstacle } }

  /// Keeps the status.
  public func emulationStopped(with status: EmulationStatus) { state.withLock { $0.shown.append(status) } }
}
