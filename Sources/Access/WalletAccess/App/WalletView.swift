public import AccessMessages
internal import MobileAuthentication

/// What a wallet shows now: a screen and the actions that are allowed there.
public struct WalletView: Equatable, Sendable {
  /// The screen.
  public let screen: FirstScreen
  /// The allowed actions.
  public let allowed: AllowedActions
  /// The status of the device; nil when the issuer was not asked or not reached.
  public let status: DeviceStatus?
  /// Whether a session is open.
  public let isLoggedIn: Bool
  /// Whether the last session has ended by itself since the last view.
  public let hasExpired: Bool
  /// The latest version of the client when the issuer states a newer one than this; nil otherwise.
  public let latest: ClientVersions?

  /// Creates a view.
  public init(
    _ screen: FirstScreen, _ allowed: AllowedActions, status: DeviceStatus? = nil, isLoggedIn: Bool = false,
    hasExpired: Bool = false, latest: ClientVersions? = nil
  ) {
    (self.screen, self.allowed, self.status) = (screen, allowed, status)
    (self.isLoggedIn, self.hasExpired, self.latest) = (isLoggedIn, hasExpired, latest)
  }

  /// The action with which the screen begins: the way into the wallet; nil on a screen without one.
  public var offered: AllowedActions.Action? { [.enrol, .login].first(where: allowed.allows) }
}

extension WalletAccess {
  /// Asks the issuer for the versions that it serves and for the status of the device, and chooses the screen.
  ///
  /// - Parameters:
  ///   - own: The version of this client.
  ///   - announcesExpiry: Whether the view reports the end of the last session, once; otherwise the next operation does.
  /// - Throws: An error of the device. An issuer that is not reached, and one that does not serve this version, are views.
  public func view(
    ofVersion own: DottedVersion, announcesExpiry: Bool = false
  ) async throws(WalletAccessError) -> WalletView {
    do throws(WalletAccessError) {
      let versions = try await checkVersion(own)
      let status = try await DeviceCoordinator(self).status()
      let isLoggedIn = try await DeviceCoordinator(self).isLoggedIn()
      let requirements = status.isRegistered && status.isActive ? try await requirements() : nil
      let biometric = try await record().biometric
      let screen = FirstScreen(
        status, hasPINLogin: requirements?.pinLogin ?? true,
        prefersBiometric: biometric?.isPreferred == true && requirements?.biometricLogin == true,
        isLoggedIn: isLoggedIn)
      let allowed = AllowedActions(
        status, isLoggedIn: isLoggedIn, tapWithoutLogin: requirements?.tapWithoutLogin ?? false)
      return WalletView(
        screen, allowed, status: status, isLoggedIn: isLoggedIn,
        hasExpired: announcesExpiry ? try await takeExpiry() : false, latest: versions)
    } catch {
      switch error {
      case .outdated(let versions): return WalletView(.update, .outdated, latest: versions)
      case .invocationFailed:
        let isLoggedIn = try await DeviceCoordinator(self).isLoggedIn()
        return WalletView(
          .unreached, .unreached(isLoggedIn: isLoggedIn), isLoggedIn: isLoggedIn,
          hasExpired: announcesExpiry ? try await takeExpiry() : false)
      default: throw error
      }
    }
  }

  /// Returns whether the last session has ended by itself, once.
  private func takeExpiry() async throws(WalletAccessError) -> Bool {
    guard try await record().hasExpiredSession else { return false }
    return try await change { record in
      defer { record.hasExpiredSession = false }
      return record.hasExpiredSession
    }
  }
}
