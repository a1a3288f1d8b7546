internal import MobileAuthentication
internal import Octets

// The end of an inactive session.
extension WalletAccess {
  /// The moment at which the session ends without a further activity; nil without a session. The user's own limit only
  /// shortens the issuer's.
  private func sessionEnd() async throws(WalletAccessError) -> Instant? {
    let record = try await record()
    guard let session = record.session else { return nil }
    let (now, limit) = (device.clocks.now, min(session.idleSeconds, record.idleSeconds ?? session.idleSeconds))
    return now.sinceBoot + max(.seconds(limit) - now.elapsed(since: session.lastActivity), .zero)
  }

  /// Logs out when the session was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it is open, and without a session.
  func logOutIfInactive() async throws(WalletAccessError) -> LogoutResult? {
    guard let end = try await sessionEnd(), device.clocks.monotonic.now >= end else { return nil }
    guard let result = try await endSession() else { return nil }
    _ = try await change { $0.hasExpiredSession = true }
    return result
  }

  /// The time between two readings of the record while the end of a session is waited for.
  private static let watchInterval = Duration.milliseconds(250)

  /// Waits until no session is open, or the one that is open was inactive for too long. Does not log out.
  func waitForSessionEnd() async throws(WalletAccessError) {
    let clock = device.clocks.monotonic
    while let end = try await sessionEnd(), clock.now < end {
      do {
        try await clock.sleep(until: clock.now + Self.watchInterval)
      } catch { throw .cancelled }
    }
  }

  /// Waits until the session ends, and logs out when it was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it ended in another way.
  func watchInactivity() async throws(WalletAccessError) -> LogoutResult? {
    while let end = try await sessionEnd() {
      guard device.clocks.monotonic.now < end else { return try await endSession() }
      do {
        try await device.clocks.monotonic.sleep(until: end)
      } catch { throw .cancelled }
    }
    return nil
  }
}
