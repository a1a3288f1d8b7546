internal import ArgumentParser
package import DeviceAuthentication

/// What the person at a simulated device does when asked to verify.
package enum UserScript: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Succeeds.
  case approve
  /// Cancels.
  case cancel
  /// Shows another finger or enters another passcode.
  case fail
  /// Has no finger or face enrolled.
  case noBiometrics = "no-biometrics"

  /// The person.
  package var user: SimulatedUser {
    switch self {
    case .approve: .approve
    case .cancel: .cancel
    case .fail: .fail
    case .noBiometrics: .noBiometrics
    }
  }
}
