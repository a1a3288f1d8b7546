public import AccessMessages

/// The screen with which a wallet starts.
public enum FirstScreen: String, Sendable, CaseIterable {
  /// Enrol a new wallet, or link an existing one by user name and password.
  case welcome
  /// Log in by PIN.
  case pin
  /// Log in by user name and password, for an issuer without PIN login.
  case password

  /// Chooses the screen.
  ///
  /// - Parameter hasPINLogin: Whether the issuer offers login by PIN.
  public init(_ status: DeviceStatus, hasPINLogin: Bool) {
    self = status.isRegistered ? hasPINLogin ? .pin : .password : .welcome
  }
}

extension DeviceStatus {
  /// The status that is shown when the device check fails. It is shown only: nothing is stored or removed.
  public static let unknown = DeviceStatus(isRegistered: false, isActive: false)
}
