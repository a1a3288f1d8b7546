public import AccessMessages
internal import Documents

/// Shows and changes what the issuer keeps of the user, in a session.
public struct ProfileCoordinator: Sendable {
  private let wallet: WalletAccess

  /// Creates a coordinator.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// Reads the profile from the issuer. It is not kept on the device.
  ///
  /// - Throws: The errors of a request under the session.
  public func profile() async throws(WalletAccessError) -> WalletProfile {
    try WalletAccess.body(try await wallet.sendInSession(.get, WalletPath.profile), WalletProfile.init)
  }

  /// Changes the names and the telephone number.
  ///
  /// - Returns: The profile after the change.
  /// - Throws: `.profile(.fixedEmail)` for a change with an e-mail address and `.profile(.other)` for one that the issuer
  ///   would refuse, both before it is sent; the errors of a request under the session.
  public func change(_ change: ProfileChange) async throws(WalletAccessError) -> WalletProfile {
    guard change.email == nil else { throw .profile(.fixedEmail) }
    if let shortcoming = change.shortcoming { throw .profile(.other(shortcoming)) }
    return try WalletAccess.body(
      try await wallet.sendInSession(.patch, WalletPath.profile, change.json), WalletProfile.init)
  }
}
