internal import AccessMessages
internal import MobileAuthentication

extension WalletAccess {
  /// Ends the session on the server, as far as it is reached, and in any case on this device.
  ///
  /// - Returns: Nil without a session.
  func endSession() async throws(WalletAccessError) -> LogoutResult? {
    guard let token = try await openedToken() else { return nil }
    let isInformed = await end(token)
    try await forgetSession()
    return LogoutResult(serverInformed: isInformed)
  }

  /// Ends a session on the server.
  ///
  /// - Returns: Whether it is ended there.
  func end(_ token: String) async -> Bool {
    do throws(WalletAccessError) {
      _ = try await send(.delete, WalletPath.currentSession, token: token)
      return true
    } catch {
      // The server ended the session before.
      return error == .notLoggedIn
    }
  }
}
