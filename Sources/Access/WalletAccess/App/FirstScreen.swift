public import AccessMessages

/// The screen of a wallet, which the status of the device, the issuer and the session choose.
public enum FirstScreen: String, Sendable, CaseIterable {
  /// Enrol a new wallet, or link an existing one by user name and password.
  case welcome
  /// Log in by PIN.
  case pin
  /// Log in by biometrics, which the user prefers, or by PIN.
  case biometric
  /// Log in by user name and password, for an issuer without PIN login.
  case password
  /// The issuer has deactivated the device.
  case deactivated
  /// The contents of the wallet: a session is open.
  case wallet
  /// The issuer does not serve this version of the client any more.
  case update
  /// The issuer was not reached, so that its status of the device is unknown.
  case unreached

  /// Chooses the screen.
  ///
  /// - Parameters:
  ///   - hasPINLogin: Whether the issuer offers login by PIN.
  ///   - prefersBiometric: Whether biometric login is registered, preferred and offered by the issuer.
  ///   - isLoggedIn: Whether a session is open.
  public init(
    _ status: DeviceStatus, hasPINLogin: Bool, prefersBiometric: Bool = false, isLoggedIn: Bool = false
  ) {
    self =
      switch (status.isRegistered, status.isActive) {
      case (false, _): .welcome
      case (true, false): .deactivated
      case (true, true) where isLoggedIn: .wallet
      case (true, true): prefersBiometric ? .biometric : hasPINLogin ? .pin : .password
      }
  }
}

extension DeviceStatus {
  /// The status that is shown when the device check fails. It is shown only: nothing is stored or removed.
  public static let unknown = DeviceStatus(isRegistered: false, isActive: false)
}
