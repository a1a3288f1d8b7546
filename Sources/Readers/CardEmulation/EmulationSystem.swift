/// The port to the device: it may forbid emulation, and it shows the user how an emulation ended.
public protocol EmulationSystem: Sendable {
  /// What forbids emulation now, or nil. Called by each `startEmulation(on:)`.
  func obstacle() -> EmulationObstacle?

  /// Called after the app has stopped emulation; a device with a screen shows the status.
  func emulationStopped(with status: EmulationStatus)
}

/// A reason that forbids emulation.
public enum EmulationObstacle: Equatable, Sendable, CaseIterable {
  /// The radio is switched off.
  case radioDisabled
  /// The user has not allowed it.
  case accessNotAccepted
  /// The device, its region or its app may not emulate cards.
  case systemEligibilityFailed
  /// Another app uses the radio.
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

/// The result of an emulation that the user is shown.
public enum EmulationStatus: Equatable, Sendable {
  /// The emulation did what the user wanted.
  case success
  /// The emulation failed.
  case failure
}

/// A Linux machine with a reader: it never forbids emulation and shows nothing.
public struct UnrestrictedEmulation: EmulationSystem {
  /// Creates the system.
  public init() {}

  /// Returns nil.
  public func obstacle() -> EmulationObstacle? { nil }

  /// Does nothing.
  public func emulationStopped(with status: EmulationStatus) {}
}
